/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses a specification (a value of --scope, --start or --stop) into words, such as the names of a
 * file and a function. scope.h describes the syntax. The parser does not look for the named files
 * and functions.
 */
#ifndef PSTAT_MACHINE_SCOPE_SPEC_H
#define PSTAT_MACHINE_SCOPE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/scope/scope.h"
#include "util/machine/scope/scope-word.h"

#define SCOPE_SPEC_MAX 16384

enum point_place {
	PLACE_WHOLE,   /* no suffix: the function, USDT point, tracepoint or system call */
	PLACE_RETURN,  /* "%return": the return of the function or system call */
	PLACE_RETURNS, /* "%returns", only with uprobe: each return instruction of the function */
};

struct point_spec {
	enum point_kind kind;
	struct scope_word file;	 /* uprobe, usdt */
	struct scope_word group; /* tp: category; usdt: provider, func: module (both optional) */
	/* name of the function, USDT point or tracepoint; or list of system calls (missing: all) */
	struct scope_word name;
	uint64_t address; /* uprobe, with `has_address`: the link-time address */
	bool has_address;
	uint64_t offset; /* uprobe: "+OFFSET" */
	bool has_offset;
	enum point_place place;
};

struct scope_spec {
	char *text;
	struct point_spec point[2];
	/* number of points that the user wrote; for --scope, 1 means a function or system call */
	int nr;
};

/*
 * Parses @text. Returns 0, -ENOMEM, or -EINVAL after storing the reason in @why. The caller frees
 * @spec with scope_spec__free() even after an error.
 */
int scope_spec__parse(struct scope_spec *spec, const char *text, struct strbuf *why);
/*
 * Parses @text, which must be one POINT (see scope.h), and sets @spec->point[0]. In all other
 * respects, works like scope_spec__parse().
 */
int scope_spec__parse_point(struct scope_spec *spec, const char *text, struct strbuf *why);
void scope_spec__free(struct scope_spec *spec);

/* Adds to @why the beginning of a reason: "'SPEC', character COLUMN: ". */
void scope_spec__add_place(const struct scope_spec *spec, int column, struct strbuf *why);

#endif
