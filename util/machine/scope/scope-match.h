/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds functions by the name that the user gave. */
#ifndef PSTAT_MACHINE_SCOPE_MATCH_H
#define PSTAT_MACHINE_SCOPE_MATCH_H

#include <stddef.h>

struct near_names;
struct scope_function;
struct scope_functions;
struct scope_word;

struct scope_match {
	const struct scope_function *function;
	char *shown; /* the name that matched, for messages */
};

/* A zeroed struct is empty. */
struct scope_matches {
	struct scope_match *matches; /* sorted by address, one for each address */
	size_t nr;
};

/*
 * Finds the functions whose symbol is @word. If no symbol matches, finds functions whose demangled
 * name (C++, Rust) is @word. If no demangled name matches, finds functions whose name matches the
 * glob @word. @word may contain or omit the version of a symbol ("memcpy@GLIBC_2.2.5"), and the
 * parameters of a C++ name. If the user wrote the version, `shown` contains it. If another match
 * has the same name, `shown` contains parameters, a version or an address. Returns 0, even if
 * nothing matches; -ENOMEM; or -EINTR if a signal asks pstat to end.
 */
int scope_match__find(struct scope_functions *functions, const struct scope_word *word,
		      struct scope_matches *matches);
void scope_matches__free(struct scope_matches *matches);

/* Offers the names of all functions to @near, which keeps the names that are similar to @wanted. */
void scope_match__offer(struct scope_functions *functions, struct near_names *near,
			const char *wanted);

#endif
