// SPDX-License-Identifier: GPL-2.0-only
/* The functions of an ELF file. */
#include <errno.h>
#include <stddef.h>

#include "util/machine/elf-file.h"
#include "util/machine/symbol-table.h"

struct collected {
	struct symbol_table *table;
	size_t nr;
	int err;
};

/* Of several names of one function the one that others call it by; a weak one is mostly the library's alias of its own. */
static int rank_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
		return 2;
	case STB_WEAK:
		return 1;
	default:
		return 0;
	}
}

/* Assembly code has functions of no type: labels, of no size either, and of the mapping symbols of arm64 ($x) the name says it. */
static void collect(const char *name, const GElf_Sym *symbol, void *arg)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	struct collected *collected = arg;
	struct symbol added = {
		.address = symbol->st_value, .size = symbol->st_size, .name = name, .rank = rank_of(symbol)
	};

	if (collected->err || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	collected->err = symbol_table__add(collected->table, &added);
	collected->nr++;
}

/* What is wrong with a debug file is no error: it is done without. */
static int add_debug_file(struct collected *collected, const char *debug)
{
	struct elf_file file;
	int err = elf_file__open(&file, debug);

	if (err)
		return 0;
	elf_file__each_symbol(&file, SHT_SYMTAB, collect, collected);
	elf_file__close(&file);
	return collected->err;
}

int symbol_table__add_file(struct symbol_table *table, const char *path, const char *debug)
{
	struct collected collected = { .table = table };
	struct elf_file file;
	int err = elf_file__open(&file, path);

	if (err)
		return err;
	elf_file__each_symbol(&file, SHT_SYMTAB, collect, &collected);
	err = collected.err;
	if (!err && !collected.nr && debug)
		err = add_debug_file(&collected, debug);
	if (!err && !collected.nr) {
		elf_file__each_symbol(&file, SHT_DYNSYM, collect, &collected);
		err = collected.err;
	}
	elf_file__close(&file);
	return err ?: collected.nr ? 0 : -ENODATA;
}
