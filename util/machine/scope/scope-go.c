// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-go.h"

#include <errno.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/machine/symbols/elf-file.h"

/*
 * Returns whether @name is the name of a section that Go's linker writes even with -s (no symbols).
 */
static bool is_go_section(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab") ||
	       !strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid");
}

static bool is_table_section(const char *name)
{
	return !strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab");
}

static Elf_Scn *find_section(const struct elf_file *file, bool (*is_wanted)(const char *name),
			     GElf_Shdr *header)
{
	struct elf_names names;
	Elf_Scn *section = NULL;
	size_t table;

	if (elf_getshdrstrndx(file->elf, &table) || elf_file__names(file, (GElf_Word)table, &names))
		return NULL;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, header) && header->sh_name < names.size &&
		    is_wanted(names.text + header->sh_name))
			return section;
	return NULL;
}

bool scope_go__is(const struct elf_file *file)
{
	GElf_Shdr header;

	return find_section(file, is_go_section, &header);
}

/* ---- the table of functions: src/debug/gosym/pclntab.go and internal/abi/symtab.go of Go ---- */

#define MAGIC_1_18 0xfffffff0
#define MAGIC_1_20 0xfffffff1

/*
 * The header of the table begins with the magic number and four more bytes. The last of these bytes
 * is the size of a pointer. The rest of the header consists of numbers of this size, in the order
 * of the enum below.
 */
#define HEADER_BYTES 8
#define AT_POINTER_SIZE 7
enum { NR_FUNCTIONS, NR_FILES, TEXT, NAMES, UNITS, FILES, PCS, FUNCTIONS, HEADER_NUMBERS };

struct go_table {
	const char *data;
	size_t size;
	size_t nr;
	uint64_t text;	  /* link-time address to which the table's addresses are relative */
	size_t names;	  /* offset of the names in the table */
	size_t functions; /* offset of the pairs (see PAIR_BYTES) in the table */
};

/* The maximum size of a name. Longer names are ignored, because only hostile files contain them. */
#define MOST_NAME_BYTES 16384

/*
 * The table contains a pair of numbers for each function: the function's address, and the offset of
 * its description from the first pair. The end address of the last function follows the last pair.
 */
#define PAIR_BYTES (2 * sizeof(uint32_t))

static uint32_t number_at(const struct go_table *table, size_t at)
{
	uint32_t number;

	memcpy(&number, table->data + at, sizeof(number));
	return number;
}

static uint64_t header_number(const struct go_table *table, size_t which)
{
	uint64_t number;

	if (table->data[AT_POINTER_SIZE] == sizeof(uint32_t))
		return number_at(table, HEADER_BYTES + which * sizeof(uint32_t));
	memcpy(&number, table->data + HEADER_BYTES + which * sizeof(number), sizeof(number));
	return number;
}

static int open_table(struct go_table *table, const Elf_Data *data)
{
	uint32_t magic;
	size_t pointer;

	if (!data || !data->d_buf || data->d_size < HEADER_BYTES)
		return -ENODATA;
	*table = (struct go_table){ .data = data->d_buf, .size = data->d_size };
	magic = number_at(table, 0);
	pointer = (size_t)(unsigned char)table->data[AT_POINTER_SIZE];
	if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) ||
	    (pointer != sizeof(uint32_t) && pointer != sizeof(uint64_t)) ||
	    table->size < HEADER_BYTES + HEADER_NUMBERS * pointer)
		return -ENODATA;
	table->nr = header_number(table, NR_FUNCTIONS);
	table->text = header_number(table, TEXT);
	table->names = header_number(table, NAMES);
	table->functions = header_number(table, FUNCTIONS);
	if (table->nr > ELF_MOST_SYMBOLS)
		return -E2BIG;
	if (!table->text || table->names >= table->size || table->functions >= table->size ||
	    table->size - table->functions < table->nr * PAIR_BYTES + sizeof(uint32_t))
		return -ENODATA;
	return 0;
}

/*
 * Returns the name of the function at @address. @description is the offset of the function's
 * description. Returns NULL if the name is empty or too long, or if the table is damaged. In an
 * undamaged table, the description begins with @address.
 */
static const char *name_of(const struct go_table *table, uint32_t address, size_t description)
{
	size_t at = table->functions + description, name, most;

	if (table->size < PAIR_BYTES || at > table->size - PAIR_BYTES ||
	    number_at(table, at) != address)
		return NULL;
	name = table->names + number_at(table, at + sizeof(uint32_t));
	if (name >= table->size)
		return NULL;
	most = table->size - name < MOST_NAME_BYTES ? table->size - name : MOST_NAME_BYTES;
	if (!memchr(table->data + name, 0, most))
		return NULL;
	return table->data[name] ? table->data + name : NULL;
}

int scope_go__each_function(const struct elf_file *file,
			    int (*each)(const char *name, uint64_t address, uint64_t size,
					void *arg),
			    void *arg)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(file, is_table_section, &header);
	struct go_table table;
	int err = !section ? -ENODATA :
			     open_table(&table,
					elf_file__content(section, &header, ELF_MOST_NAME_BYTES));

	for (size_t i = 0; !err && i < table.nr; i++) {
		size_t at = table.functions + i * PAIR_BYTES;
		uint32_t address = number_at(&table, at), next = number_at(&table, at + PAIR_BYTES);
		const char *name =
			name_of(&table, address, number_at(&table, at + sizeof(address)));

		if (!(i % 16384) && interrupt__is_due())
			return -EINTR;
		if (name && next > address)
			err = each(name, table.text + address, next - address, arg);
	}
	return err;
}
