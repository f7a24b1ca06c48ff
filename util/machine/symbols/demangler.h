/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Demangles C++ and Rust names: _ZSt9terminatev becomes std::terminate(). libiberty does this in a
 * child process (bounded-child.h), because a name in another user's file can take any amount of
 * time and memory to demangle. Names that libiberty cannot demangle are not changed. The child is
 * started when the first mangled name is looked up.
 *
 * libiberty is the only library in Debian that supports both mangling schemes of Rust (legacy and
 * v0). __cxa_demangle() of libstdc++ supports neither, and libdw exports no function that
 * demangles.
 */
#ifndef PSTAT_MACHINE_DEMANGLER_H
#define PSTAT_MACHINE_DEMANGLER_H

#include <stdbool.h>

struct demangler;

#define DEMANGLER_CPU_MSEC 50	       /* maximum CPU time for one name */
#define DEMANGLER_MEMORY (64ULL << 20) /* limit on the child's memory (struct bounded_limits) */
/*
 * After this many names in files of other users have exceeded a limit, no more names in such files
 * are demangled. Names in trusted files (@is_trusted) are counted separately.
 */
#define DEMANGLER_MOST_FAILED 20

/* Returns NULL if memory ran out. */
struct demangler *demangler__new(void);
void demangler__free(struct demangler *demangler);

/*
 * Returns the demangled form of @name; the unchanged name if it cannot be demangled; or NULL if
 * memory ran out. The result is valid as long as both @name and the demangler exist. A suffix
 * "@plt" is kept. @is_trusted: the file that contains the name belongs to root or to the effective
 * user.
 */
const char *demangler__name(struct demangler *demangler, const char *name, bool is_trusted);

#endif
