// SPDX-License-Identifier: GPL-2.0-only
/* Adds the functions of an ELF file to a symbol table. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/far-file.h"
#include "util/machine/symbols/symbol-table.h"

/*
 * The names of symbols point into a copy of the file's table of names. A separate copy of each name
 * could take too much memory, because a name can be as long as the table, and many symbols can
 * share a name or a part of it.
 */
struct collected {
	struct symbol_table *table;
	const char *file_names, *names; /* the file's table of names, and its copy */
	size_t nr;
	int err;
};

static const char *keep_name(struct collected *collected, const struct elf_symbol_seen *seen)
{
	if (collected->file_names != seen->names->text) {
		collected->names =
			symbol_table__keep(collected->table, seen->names->text, seen->names->size);
		collected->file_names = collected->names ? seen->names->text : NULL;
	}
	return collected->names ? collected->names + (seen->name - seen->names->text) : NULL;
}

/*
 * Collects a symbol if it is a function. Skips symbols without a type, which are labels in assembly
 * code or arm64's mapping symbols ($x). If a function has no size (for example, _init), assumes
 * that it does not extend beyond its section, because the next section, such as the PLT, contains
 * other code.
 */
static void collect(const struct elf_symbol_seen *seen, void *arg)
{
	int type = GELF_ST_TYPE(seen->symbol->st_info);
	struct collected *collected = arg;
	struct symbol added = { .address = seen->symbol->st_value,
				.size = seen->symbol->st_size,
				.rank = elf_file__rank(seen->symbol) };

	if (collected->err || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	if (seen->section && !(seen->section->sh_flags & SHF_EXECINSTR))
		return; /* the section contains no code */
	if (seen->section && !added.size) {
		uint64_t end = seen->section->sh_addr + seen->section->sh_size;

		added.is_open = true;
		added.size = end > added.address ? end - added.address : 0;
	}
	added.name = keep_name(collected, seen);
	collected->err = added.name ? symbol_table__add_kept(collected->table, &added) : -ENOMEM;
	collected->nr++;
}

static int collect_from(struct collected *collected, const struct elf_file *file, GElf_Word type)
{
	int err = elf_file__each_symbol(file, type, collect, collected);

	collected->file_names = NULL; /* the next file's names may get the same address */
	if (collected->err)
		return collected->err;
	return err == -ENODATA ? 0 : err;
}

/*
 * Adds the functions of the debug file. Returns 0, even if the debug file cannot be read; -ENOMEM;
 * or -EINTR.
 */
static int add_debug_file(struct collected *collected, const struct build_id *id,
			  const char *debug_dirs)
{
	struct elf_file file;
	int err = far_file__open_debug_elf(id, debug_dirs, &file);

	if (err)
		return err == -EINTR ? err : 0;
	err = collect_from(collected, &file, SHT_SYMTAB);
	elf_file__close(&file);
	return err == -ENOMEM || err == -EINTR ? err : 0;
}

int symbol_table__add_elf(struct symbol_table *table, const struct elf_file *file,
			  const struct build_id *id, const char *debug_dirs)
{
	struct collected collected = { .table = table };
	int err = collect_from(&collected, file, SHT_SYMTAB);

	if (!err && !collected.nr && id)
		err = add_debug_file(&collected, id, debug_dirs);
	if (!err && !collected.nr)
		err = collect_from(&collected, file, SHT_DYNSYM);
	err = err ?: symbol_table__add_plt(table, file);
	return err ?: collected.nr ? 0 : -ENODATA;
}

int symbol_table__add_file(struct symbol_table *table, const char *path)
{
	struct elf_file file;
	int err = elf_file__open(&file, path);

	if (err)
		return err;
	err = symbol_table__add_elf(table, &file, NULL, NULL);
	elf_file__close(&file);
	return err;
}
