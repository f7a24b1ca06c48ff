/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The child process of demangler.h. Each question and each answer is a struct demangle_text,
 * followed by `len` bytes of text.
 */
#ifndef PSTAT_MACHINE_DEMANGLE_CHILD_H
#define PSTAT_MACHINE_DEMANGLE_CHILD_H

#include <stdint.h>

/* Maximum lengths in bytes: longer names are not demangled, and longer results are truncated. */
#define DEMANGLE_MOST_IN 16384
#define DEMANGLE_MOST_OUT 4096

struct demangle_text {
	uint32_t len; /* in an answer, 0 if the name cannot be demangled */
};

/*
 * The function that the child runs (bounded_child__start()). Answers the questions from @socket
 * until the parent closes its end. @unused is NULL. Does not return.
 */
void demangle_child__run(int socket, void *unused);

#endif
