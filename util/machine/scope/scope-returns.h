/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the return instructions of a function. If the user wrote FUNCTION%returns, pstat probes
 * these instructions instead of using a return probe, which would damage some programs
 * (scope-damage.h).
 */
#ifndef PSTAT_MACHINE_SCOPE_RETURNS_H
#define PSTAT_MACHINE_SCOPE_RETURNS_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct scope_function;

struct scope_returns {
	uint64_t *offsets; /* in the file */
	size_t nr;
};

/*
 * Finds the return instructions of @function. Returns 0; -ENODATA if there are none; -EOPNOTSUPP if
 * the size or the instruction set of the function is unknown; -E2BIG if the function is too large;
 * -EILSEQ if the code cannot be read or decoded; or -ENOMEM.
 */
int scope_returns__find(const struct elf_file *file, const struct scope_function *function,
			struct scope_returns *returns);
/*
 * Checks that an instruction of @function begins @offset bytes after the start of the function.
 * Returns 0 if it does; -EINVAL if it does not; -ENOMEM; or another -errno if the code cannot be
 * read or decoded.
 */
int scope_returns__check(const struct elf_file *file, const struct scope_function *function,
			 uint64_t offset);
void scope_returns__free(struct scope_returns *returns);
/* Returns a description of an error that scope_returns__find() returned. */
const char *scope_returns__strerror(int err);

#endif
