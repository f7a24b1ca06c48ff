/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of C++ and Rust functions as in the source: std::terminate() instead of _ZSt9terminatev.
 * libiberty converts them, in a child process (bounded-child.h), because a name in another user's
 * file can take any amount of time and memory. Names that it cannot convert stay as they are.
 * The child starts at the first name of this kind.
 *
 * Of the libraries in Debian, libiberty is the only one that knows both forms of Rust names.
 * __cxa_demangle() of libstdc++ knows neither, and libdw exports no such function.
 */
#ifndef PSTAT_MACHINE_DEMANGLER_H
#define PSTAT_MACHINE_DEMANGLER_H

#include <stdbool.h>

struct demangler;

/* The limits: for each name, and for all names that one child converts. */
#define DEMANGLER_CPU_MSEC 50
#define DEMANGLER_MEMORY (64ULL << 20)
/* After this number of names that exceeded a limit, no more names are converted. */
#define DEMANGLER_MOST_FAILED 20

/* Returns NULL without memory. */
struct demangler *demangler__new(void);
void demangler__free(struct demangler *demangler);

/*
 * Returns the readable form of @name, which is valid as long as the demangler, or @name itself if
 * it has none. Names that end with "@plt" keep this ending. @is_trusted: the name is not from
 * another user's file, so failures of names in such files do not count. Returns NULL without
 * memory.
 */
const char *demangler__name(struct demangler *demangler, const char *name, bool is_trusted);

#endif
