/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions in the order of their addresses: which one is an address in? Of the kernel, of a program, of a library. */
#ifndef PSTAT_MACHINE_SYMBOL_TABLE_H
#define PSTAT_MACHINE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct symbol_table;

struct symbol {
	uint64_t address;
	uint64_t size;	  /* it ends there at the latest; 0: at the next symbol */
	const char *name; /* owned by the table */
	int rank;	  /* of two at one address the higher one is found */
	bool is_open;	  /* its own size is not known: @size reaches to the end of its section */
};

/* NULL without memory. */
struct symbol_table *symbol_table__new(void);
void symbol_table__free(struct symbol_table *table);

/* The name is copied. 0 or -ENOMEM. */
int symbol_table__add(struct symbol_table *table, const struct symbol *symbol);
/* The table's own copy of @text, which lasts as long as the table: for many names that are parts of one text. NULL without memory. */
const char *symbol_table__keep(struct symbol_table *table, const char *text, size_t len);
/* As symbol_table__add(), but the name is in a text of symbol_table__keep(). */
int symbol_table__add_kept(struct symbol_table *table, const struct symbol *symbol);

size_t symbol_table__nr(const struct symbol_table *table);
/* The memory that it needs, in bytes. */
size_t symbol_table__bytes(const struct symbol_table *table);

/* The one that @address is in, NULL when there is none. Valid until something is added. */
const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address);

/*
 * Adds the functions of the ELF file @path: those of .symtab, or of that of its debug file @debug (NULL: there is none), or else what .dynsym
 * has; and the stubs of its PLT as `NAME@plt`. 0; -ENODATA when there are no functions, but perhaps stubs; -ENOEXEC, -E2BIG, -EINTR (elf-file.h), -ENOMEM, or
 * -errno of opening @path.
 */
int symbol_table__add_file(struct symbol_table *table, const char *path, const char *debug);
/* The same of an open file. */
int symbol_table__add_elf(struct symbol_table *table, const struct elf_file *file, const char *debug);

/* Adds the stubs of the PLT of @file. 0, -ENOMEM or -EINTR; a PLT that cannot be read has no stubs. */
int symbol_table__add_plt(struct symbol_table *table, const struct elf_file *file);

#endif
