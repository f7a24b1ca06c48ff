/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the points of a program or library that the user can name in a specification. */
#ifndef PSTAT_MACHINE_SCOPE_CONTENTS_H
#define PSTAT_MACHINE_SCOPE_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct scope_env;
struct strbuf;

/* A function or a USDT point. The strings are valid while @each is called. */
struct listed_point {
	const char *spec; /* the specification, for example "uprobe:libz:deflate" */
	const char *name; /* name of the function in the source, or of the USDT point */
	bool is_usdt;
	/* valid only for a function: */
	const char *symbol;
	const char *aliases; /* other symbols for the same code, separated by spaces, or "" */
	uint64_t size;	     /* in bytes; 0: unknown */
	/* valid only for a USDT point: */
	const char *provider;
	const char *arguments; /* the arguments at the first place of the point in the code */
	int nr_places;
	bool has_semaphore;
	/* the link-time address of the function, or of the first place of the USDT point */
	uint64_t address;
};

/*
 * Calls @each for each function of @file, sorted by address, and then for each of its USDT points,
 * sorted by name. Stops if @each returns a value other than 0, and returns this value. @file is a
 * path, or the name of a library or command. Returns 0 on success, or -errno after storing the
 * reason in @why. -ENODATA: the file is stripped, and has no USDT points.
 */
int scope_contents__each(const struct scope_env *env, const char *file,
			 int (*each)(const struct listed_point *point, void *arg), void *arg,
			 struct strbuf *why);

#endif
