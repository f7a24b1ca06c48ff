/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the places in a program or library at which a scope (scope.h) can begin: functions and USDT
 * points.
 */
#ifndef PSTAT_MACHINE_SCOPE_CONTENTS_H
#define PSTAT_MACHINE_SCOPE_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct scope_env;
struct strbuf;

/* A function or a USDT point. The strings are valid only during the callback. */
struct listed_point {
	const char *spec; /* how the user writes the point (scope.h): "uprobe:libz:deflate" */
	const char *name; /* the function's name in the source, or the USDT point's name */
	bool is_usdt;
	/* valid only for a function: */
	const char *symbol;
	const char *aliases; /* other symbols for the same code, separated by spaces; "": none */
	uint64_t size;	     /* in bytes; 0: unknown */
	/* valid only for a USDT point, which can be at several places in the code: */
	const char *provider;
	const char *arguments; /* locations of the arguments at the first place */
	int nr_places;
	bool has_semaphore;
	/* always valid: the link-time address of the function, or of the point's first place */
	uint64_t address;
};

/*
 * Calls @each for each function of @file, sorted by address, and then for each USDT point of @file,
 * sorted by provider and name. Omits IFUNCs, and code that is not reached by a call
 * (scope-damage.h). Stops if @each returns a value other than 0, and returns this value. @file is a
 * path, or the name of a library or command. Returns 0 on success, or -errno after storing the
 * reason in @why. -ENODATA means that the file is stripped and has no USDT points, and that its
 * debug file is not installed.
 */
int scope_contents__each(const struct scope_env *env, const char *file,
			 int (*each)(const struct listed_point *point, void *arg), void *arg,
			 struct strbuf *why);

#endif
