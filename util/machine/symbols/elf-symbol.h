/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the addresses of a program's symbols in its ELF file or, if the ELF file is stripped, in
 * its debug file.
 */
#ifndef PSTAT_MACHINE_ELF_SYMBOL_H
#define PSTAT_MACHINE_ELF_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

struct elf_symbol {
	uint64_t address; /* link-time address; if `relative`, add the load bias */
	uint64_t size;	  /* 0: unknown */
	bool relative;	  /* the file can be loaded at any address (PIE) */
};

/*
 * Finds the symbol @name of the program @file. Returns 0; -ENOENT if no symbol has this name;
 * -EEXIST if only local symbols have this name, and their addresses differ; -ENOEXEC if @file is
 * not an ELF file; -ENODATA if neither the program nor its debug file has symbols; -EOPNOTSUPP if
 * the symbol is a thread-local variable; or another -errno if the file cannot be read.
 */
int elf_symbol__find(const char *file, const char *name, struct elf_symbol *symbol);
/* Returns a description of an error that elf_symbol__find() returned. */
const char *elf_symbol__strerror(int err);

/* Calls @each for the name of each function and variable in the program @file. */
void elf_symbol__for_each(const char *file, void (*each)(const char *name, void *arg), void *arg);

/*
 * Computes the load bias of @file, the program that @pid runs. The load bias is the difference
 * between run-time and link-time addresses. It is 0 unless the program is a PIE. The kernel chooses
 * it during the exec, so this function can be called before the program runs its first instruction.
 * Returns 0 or -errno.
 */
int elf_symbol__load_bias(const struct sysroots *roots, pid_t pid, const char *file,
			  uint64_t *bias);

#endif
