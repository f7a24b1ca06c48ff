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
	uint64_t size;	  /* in bytes; the symbol may end earlier. 0: it ends at the next symbol */
	const char *name; /* owned by the table */
	int rank;	  /* of two symbols at one address, the one with the higher rank is found */
	bool is_open;	  /* the symbol's own size is unknown; @size reaches to the end of its section */
};

/* NULL without memory. */
struct symbol_table *symbol_table__new(void);
void symbol_table__free(struct symbol_table *table);

/* Adds a copy of @symbol and its name. Returns 0 or -ENOMEM. */
int symbol_table__add(struct symbol_table *table, const struct symbol *symbol);
/*
 * Returns the table's own copy of @text, which is valid as long as the table. Useful if many names are parts of one
 * text. NULL if there is no memory.
 */
const char *symbol_table__keep(struct symbol_table *table, const char *text, size_t len);
/*
 * Adds @symbol without copying its name, which must be in a text that symbol_table__keep() returned. Returns 0 or
 * -ENOMEM.
 */
int symbol_table__add_kept(struct symbol_table *table, const struct symbol *symbol);

size_t symbol_table__nr(const struct symbol_table *table);
/* Returns the size of the table in memory, in bytes. */
size_t symbol_table__bytes(const struct symbol_table *table);

/*
 * The one that @address is in, NULL when there is none or a signal ends the work (util/base/interrupt.h). Valid until something is added.
 */
const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address);

/*
 * Adds the functions of the ELF file @path: those of its .symtab, or of the .symtab of its debug file @debug (NULL:
 * none), or otherwise of its .dynsym. Also adds the stubs of its PLT as `NAME@plt`. Returns 0; -ENODATA if there are
 * no functions, though there may be stubs; -ENOEXEC, -E2BIG or -EINTR (elf-file.h); -ENOMEM; or the -errno of opening
 * @path.
 */
int symbol_table__add_file(struct symbol_table *table, const char *path, const char *debug);
/* Does the same for a file that is already open. */
int symbol_table__add_elf(struct symbol_table *table, const struct elf_file *file, const char *debug);

/* Adds the stubs of the PLT of @file. Adds none if the PLT cannot be read. Returns 0, -ENOMEM or -EINTR. */
int symbol_table__add_plt(struct symbol_table *table, const struct elf_file *file);

#endif
