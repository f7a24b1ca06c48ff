/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of a program's symbols, out of its ELF file and, when that was stripped, the debug file that belongs to it. */
#ifndef PSTAT_MACHINE_ELF_SYMBOL_H
#define PSTAT_MACHINE_ELF_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

struct elf_symbol {
	uint64_t address; /* as linked: the load address comes on top when `relative` */
	uint64_t size;	  /* 0: not known */
	bool relative;	  /* the file can be loaded anywhere (PIE) */
};

/*
 * The symbol @name of the program @file. 0; -ENOENT: it has none of that name; -EEXIST: several, at different addresses; -ENOEXEC: no ELF
 * file; -ENODATA: it has no symbols at all; -EOPNOTSUPP: a thread's own variable, which has no one address; else -errno of opening it.
 */
int elf_symbol__find(const char *file, const char *name, struct elf_symbol *symbol);
/* In words, @err of the above. */
const char *elf_symbol__strerror(int err);

/* Calls @each for the name of every symbol with an address. */
void elf_symbol__for_each(const char *file, void (*each)(const char *name, void *arg), void *arg);

/*
 * What comes on top of the addresses of the program that @pid runs: 0 unless it can be loaded anywhere. @file is that program's. 0 or
 * -errno. Known from the exec on, before the program's first instruction.
 */
int elf_symbol__load_bias(const struct sysroots *roots, pid_t pid, const char *file, uint64_t *bias);

#endif
