/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds functions by the name that the user wrote. */
#ifndef PSTAT_MACHINE_SCOPE_MATCH_H
#define PSTAT_MACHINE_SCOPE_MATCH_H

#include <stddef.h>

struct near_names;
struct scope_function;
struct scope_functions;
struct scope_word;

struct scope_match {
	const struct scope_function *function;
	char *shown; /* the name that matched, without version and parameters */
};

/* A zeroed struct is empty. */
struct scope_matches {
	struct scope_match *matches; /* by address, one for each address */
	size_t nr;
};

/*
 * Finds the functions with the name @word; if there are none, those with this name in the source
 * (C++, Rust); if there are none, those that match @word as a glob. A name matches with and without
 * its version ("memcpy@GLIBC_2.2.5"), and the name of a C++ function with and without its
 * parameters. Functions that have the same name are shown with their parameters, or with their
 * address. Returns 0, even if there are none, or -errno: -ENOMEM, or -EINTR if a signal arrives.
 */
int scope_match__find(struct scope_functions *functions, const struct scope_word *word,
		      struct scope_matches *matches);
void scope_matches__free(struct scope_matches *matches);

/* Offers all names that could be meant by @wanted. */
void scope_match__offer(struct scope_functions *functions, struct near_names *near,
			const char *wanted);

#endif
