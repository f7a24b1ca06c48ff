/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the places at which the compiler has inlined a function, according to the DWARF data. A
 * probe at the function is not reached when an inlined copy is executed.
 */
#ifndef PSTAT_MACHINE_SCOPE_INLINE_H
#define PSTAT_MACHINE_SCOPE_INLINE_H

#include <stdint.h>

struct elf_file;

/* The limits of the search. If the search exceeds a limit, it ends without a result. */
#define SCOPE_INLINE_CPU_SECONDS 2
/*
 * the maximum memory of the child process that searches, in bytes, not counting the total size of
 * the files that it reads
 */
#define SCOPE_INLINE_MEMORY (256ULL << 20)

/*
 * Sets *@nr to the number of places at which the function @symbol of @file is inlined. A child
 * process (bounded-child.h) reads the DWARF data of @file. If @file has no DWARF data, the child
 * reads the debug file of @file in @debug_dirs. Returns 0; -ENODATA if there is no DWARF data, or
 * no libdw to read the data; -EPIPE if the child exceeded a limit or crashed; -ETIMEDOUT if the
 * child did not answer in time; -EINTR if a signal asks pstat to end; or another -errno.
 */
int scope_inline__count(const struct elf_file *file, const char *debug_dirs, const char *symbol,
			uint32_t *nr);

#endif
