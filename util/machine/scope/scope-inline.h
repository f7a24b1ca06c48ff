/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often the compiler has inlined a function, by its DWARF data. Runs of inlined copies pass no
 * probe.
 */
#ifndef PSTAT_MACHINE_SCOPE_INLINE_H
#define PSTAT_MACHINE_SCOPE_INLINE_H

#include <stdint.h>

struct elf_file;

/* The limits of the search. A larger program gets no answer. */
#define SCOPE_INLINE_CPU_SECONDS 2
#define SCOPE_INLINE_MEMORY (256ULL << 20)

/*
 * Counts the places at which the function @symbol of @file is inlined. Reads the DWARF data of the
 * file and of its debug file in @debug_dirs, in a child process (bounded-child.h). Returns 0;
 * -ENODATA if there is no DWARF data; -ETIMEDOUT or -EPIPE if reading it exceeds the limits or
 * fails; -EINTR; or another -errno.
 */
int scope_inline__count(const struct elf_file *file, const char *debug_dirs, const char *symbol,
			uint32_t *nr);

#endif
