/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the points of a program or library that specifications can name. */
#ifndef PSTAT_MACHINE_SCOPE_CONTENTS_H
#define PSTAT_MACHINE_SCOPE_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct scope_env;
struct strbuf;

/* Strings are valid during the call. */
struct listed_point {
	const char *spec; /* what the user can write: "uprobe:libz:deflate", "usdt:./a:p:n" */
	const char *name; /* of the function as in the source; of the USDT point */
	bool is_usdt;
	/* of a function */
	const char *symbol;
	const char *aliases; /* other symbols of the same code, separated by spaces, or "" */
	uint64_t size;	     /* in bytes; 0: unknown */
	/* of a USDT point */
	const char *provider;
	const char *arguments; /* of its first place */
	int nr_places;
	bool has_semaphore;
	/* link-time address; of a USDT point, that of its first place */
	uint64_t address;
};

/*
 * Calls @each for the functions of @file, by address, and then for its USDT points, until it does
 * not return 0. @file is a path or the name of a library or command. Returns the result of @each;
 * 0; or -errno after storing the reason in @why. A stripped file without USDT points is -ENODATA.
 */
int scope_contents__each(const struct scope_env *env, const char *file,
			 int (*each)(const struct listed_point *point, void *arg), void *arg,
			 struct strbuf *why);

#endif
