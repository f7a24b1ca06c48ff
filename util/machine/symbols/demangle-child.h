/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The child process of demangler.h. Each question and each answer is a struct demangle_text with
 * @len bytes after it.
 */
#ifndef PSTAT_MACHINE_DEMANGLE_CHILD_H
#define PSTAT_MACHINE_DEMANGLE_CHILD_H

#include <stdint.h>

/* Maximum lengths in bytes: longer names are not demangled, and longer results are cut. */
#define DEMANGLE_MOST_IN 16384
#define DEMANGLE_MOST_OUT 4096

struct demangle_text {
	uint32_t len; /* in an answer, 0 if the name is not mangled */
};

/*
 * The function of a bounded child (bounded-child.h). @unused is NULL. Answers the questions from
 * @socket until the parent closes it. Does not return.
 */
void demangle_child__run(int socket, void *unused);

#endif
