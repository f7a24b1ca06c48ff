/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions in the order of their addresses: which one is an address in? Of the kernel, of a program, of a library. */
#ifndef PSTAT_MACHINE_SYMBOL_TABLE_H
#define PSTAT_MACHINE_SYMBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct symbol_table;

struct symbol {
	uint64_t address;
	uint64_t size;	  /* 0: not known; it is then what lies before the next one */
	const char *name; /* owned by the table */
	int rank;	  /* of two at one address the higher one is told */
};

/* NULL without memory. */
struct symbol_table *symbol_table__new(void);
void symbol_table__free(struct symbol_table *table);

/* Names are copied. 0 or -ENOMEM. */
int symbol_table__add(struct symbol_table *table, const struct symbol *symbol);
size_t symbol_table__nr(const struct symbol_table *table);

/* The one that @address is in, NULL when there is none. Valid until something is added. */
const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address);

/*
 * Adds the functions of the ELF file @path: those of .symtab, or of that of its debug file @debug (NULL: there is none), or else what .dynsym
 * has. 0; -ENODATA when there are none at all; -ENOEXEC, -ENOMEM or -errno of opening @path.
 */
int symbol_table__add_file(struct symbol_table *table, const char *path, const char *debug);

#endif
