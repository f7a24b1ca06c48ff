/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of functions, sorted by address: the functions of the kernel, of a program or of a
 * library, or the functions that a process has compiled at run time. pstat does not use
 * dwfl_module_addrinfo() of libdwfl, because this function compares an address with all symbols of
 * a file. For Node.js (86,000 symbols), this takes 2 ms for each address. This table needs 0.2 µs
 * for each address, after 40 ms for reading and sorting the symbols. Also, libdwfl does not limit
 * what it reads, and does not name stubs of the PLT.
 */
#ifndef PSTAT_MACHINE_SYMBOL_TABLE_H
#define PSTAT_MACHINE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;
struct elf_file;
struct symbol_table;

struct symbol {
	uint64_t address;
	/*
	 * In bytes; 0: unknown. In searches, a symbol ends at the start of the next symbol at the
	 * latest, even if `size` reaches further.
	 */
	uint64_t size;
	const char *name; /* owned by the table */
	/* if several symbols have the same address, the one with the highest rank is found */
	int rank;
	/*
	 * the file contains no size for the symbol; `size` is the distance to the end of its
	 * section
	 */
	bool is_open;
};

/* Returns NULL if memory ran out. */
struct symbol_table *symbol_table__new(void);
void symbol_table__free(struct symbol_table *table);

/* Adds copies of @symbol and of its name. Returns 0 or -ENOMEM. */
int symbol_table__add(struct symbol_table *table, const struct symbol *symbol);
/*
 * Copies @text into the table. Returns the copy, which is valid until the table is freed, or NULL
 * if memory ran out. Use this function if many names are parts of one text.
 */
const char *symbol_table__keep(struct symbol_table *table, const char *text, size_t len);
/*
 * Adds @symbol without copying its name, which must be in a text that symbol_table__keep()
 * returned. Returns 0 or -ENOMEM.
 */
int symbol_table__add_kept(struct symbol_table *table, const struct symbol *symbol);

size_t symbol_table__nr(const struct symbol_table *table);
/* Returns the size of the table in memory, in bytes. */
size_t symbol_table__bytes(const struct symbol_table *table);

/*
 * Returns the symbol that contains @address. Returns NULL if there is none, or if a signal asks
 * pstat to end (util/base/interrupt.h). The result is valid until a symbol is added.
 */
const struct symbol *symbol_table__find(struct symbol_table *table, uint64_t address);

/*
 * Adds the functions in .symtab of @file. If there are none, searches @debug_dirs for the debug
 * file with the build id @id, and adds the functions in its .symtab. If @id is NULL, no debug file
 * is used. If there are still no functions, adds the functions in .dynsym of @file. Also adds the
 * stubs of the PLT as `NAME@plt`. Returns 0; -ENODATA if there are no functions, even if there are
 * stubs; -E2BIG or -EINTR (elf_file__each_symbol()); or -ENOMEM.
 */
int symbol_table__add_elf(struct symbol_table *table, const struct elf_file *file,
			  const struct build_id *id, const char *debug_dirs);
/*
 * Like symbol_table__add_elf(), but opens the file @path, which must not be another user's file,
 * and uses no debug file. Can also return an error of elf_file__open().
 */
int symbol_table__add_file(struct symbol_table *table, const char *path);

/*
 * Adds the stubs of the PLT of @file. If the PLT cannot be read, adds none. Returns 0, -ENOMEM or
 * -EINTR.
 */
int symbol_table__add_plt(struct symbol_table *table, const struct elf_file *file);

#endif
