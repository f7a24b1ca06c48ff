/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the places at which the compiler has inlined a function, according to the DWARF data.
 * Probes at the function do not see the runs of its inlined copies.
 */
#ifndef PSTAT_MACHINE_SCOPE_INLINE_H
#define PSTAT_MACHINE_SCOPE_INLINE_H

#include <stdint.h>

struct elf_file;

/* The limits of the search. If it exceeds one of them, the number of places stays unknown. */
#define SCOPE_INLINE_CPU_SECONDS 2
#define SCOPE_INLINE_MEMORY (256ULL << 20)

/*
 * Counts the places at which the function @symbol of @file is inlined. Reads the DWARF data of the
 * file and of its debug file in @debug_dirs, in a child process (bounded-child.h). Returns 0;
 * -ENODATA if there is no DWARF data, or no libdw to read it; -EPIPE if the child exceeded a limit
 * or crashed; -ETIMEDOUT if it did not answer in time; -EINTR if a signal asks pstat to end; or
 * another -errno.
 */
int scope_inline__count(const struct elf_file *file, const char *debug_dirs, const char *symbol,
			uint32_t *nr);

#endif
