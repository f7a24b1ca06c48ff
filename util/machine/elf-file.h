/* SPDX-License-Identifier: GPL-2.0-only */
/* An ELF program or library, as far as who looks for its symbols needs it. */
#ifndef PSTAT_MACHINE_ELF_FILE_H
#define PSTAT_MACHINE_ELF_FILE_H

#include <gelf.h>
#include <stdint.h>

struct build_id;

struct elf_file {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

/* 0, -ENOEXEC when it is no ELF program, library or debug file, or -errno of opening it. To be closed when it was 0. */
int elf_file__open(struct elf_file *file, const char *path);
void elf_file__close(struct elf_file *file);

/* 0, or -ENOENT when the file has none. */
int elf_file__build_id(const struct elf_file *file, struct build_id *id);

/*
 * Calls @each for each symbol that has a place in this file, from the tables of @type (SHT_SYMTAB, SHT_DYNSYM). @name is valid until
 * the file is closed. -ENODATA when there is no such table.
 */
int elf_file__each_symbol(const struct elf_file *file, GElf_Word type,
			  void (*each)(const char *name, const GElf_Sym *symbol, void *arg), void *arg);

/*
 * The address, as linked, of what lies at @offset in the file and is loaded. 0; -ENOENT when no segment loads it.
 */
int elf_file__address_of(const struct elf_file *file, uint64_t offset, uint64_t *address);

#endif
