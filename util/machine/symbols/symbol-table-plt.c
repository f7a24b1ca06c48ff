// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names the stubs of the procedure linkage table (PLT), which have no symbols. A stub jumps to an
 * address that it loads from a slot of the global offset table (GOT). For each slot, a relocation
 * names the symbol whose address the dynamic linker stores in the slot:
 *
 *	.plt, .plt.sec, .plt.got, .iplt:
 *	stub ──loads──► slot in .got ◄──r_offset── relocation ──► `memcpy`: the stub is memcpy@plt
 *
 * pstat decodes the instructions of each stub to find its slot. On x86-64 with IBT (indirect branch
 * tracking), a stub for lazy binding does not load the address. It pushes the number of the slot's
 * relocation, and pstat finds the slot by this number.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/machine/symbols/elf-file.h"
#include "util/machine/symbols/symbol-table.h"

/*
 * Limits for one file. Names that do not fit into NAME_SIZE are truncated. Stubs beyond MOST_STUBS
 * get no names. At most MOST_RELOCATION_BYTES of relocations are read: a section that would exceed
 * this total is skipped.
 */
#define NAME_SIZE 1024
#define MOST_STUBS 65536
#define MOST_RELOCATION_BYTES (ELF_MOST_SYMBOLS * sizeof(Elf64_Rela))
/*
 * The size limit in bytes for .rela.dyn. A larger .rela.dyn is not read, because only a few stubs
 * need it: the stubs in .plt.got and, in files linked by lld, the stubs in .iplt. In a large
 * library, .rela.dyn can be 24 MB long, and reading it would take longer than reading all symbols.
 */
#define MOST_DYNAMIC_BYTES (4 << 20)
#define STUB_SIZE 16 /* in bytes; used on x86-64 if sh_entsize is not usable */

struct slot {
	uint64_t got;
	uint64_t symbol; /* index in the dynamic symbol table; 0: none */
	int64_t addend;	 /* if `symbol` is 0, part of the stub's name */
	size_t number;	 /* index of its relocation in the relocation section */
	bool is_lazy;	 /* its relocation is in .rela.plt */
};

struct plt {
	const struct elf_file *file;
	struct symbol_table *table;
	struct slot *slots; /* sorted by `got` */
	size_t nr_slots;
	size_t *lazy; /* maps the `number` of a lazy slot to the slot's index in `slots` */
	size_t nr_lazy;
	Elf_Data *symbols;
	struct elf_names names;
	size_t nr;
	uint64_t code_left, relocations_left; /* bytes that may still be read */
};

static int by_got(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->got < y->got ? -1 : x->got > y->got;
}

static const struct slot *slot_at(const struct plt *plt, uint64_t got)
{
	const struct slot key = { .got = got };

	return plt->nr_slots ? bsearch(&key, plt->slots, plt->nr_slots, sizeof(key), by_got) : NULL;
}

static const struct slot *lazy_slot(const struct plt *plt, uint32_t number)
{
	return number < plt->nr_lazy ? &plt->slots[plt->lazy[number]] : NULL;
}

static int add_stub(struct plt *plt, const struct slot *slot, uint64_t address, uint64_t size)
{
	struct symbol added = { .address = address, .size = size, .rank = -1 };
	char name[NAME_SIZE];
	GElf_Sym symbol;

	if (plt->nr == MOST_STUBS)
		return 0;
	if (slot->symbol) {
		if (!plt->symbols || !gelf_getsym(plt->symbols, (int)slot->symbol, &symbol) ||
		    symbol.st_name >= plt->names.size || !plt->names.text[symbol.st_name])
			return 0;
		snprintf(name, sizeof(name), "%.*s@plt", NAME_SIZE - 8,
			 plt->names.text + symbol.st_name);
	} else {
		snprintf(name, sizeof(name), "*ABS*+0x%llx@plt", (unsigned long long)slot->addend);
	}
	added.name = name;
	plt->nr++;
	return symbol_table__add(plt->table, &added);
}

/* ---- instructions ---- */

static uint32_t word_at(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/*
 * Returns the slot of the stub, or NULL if it is not found. Looks for `jmp *DISPLACEMENT(%rip)`
 * anywhere in the stub. If there is none, looks for `push $NUMBER`, where NUMBER is the number of
 * the relocation, as the first or second instruction.
 */
static const struct slot *x86_slot(const struct plt *plt, const unsigned char *code, size_t size,
				   uint64_t address)
{
	const struct slot *found = NULL;

	for (size_t i = 0; !found && i + 6 <= size; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25)
			found = slot_at(plt,
					address + i + 6 +
						(uint64_t)(int64_t)(int32_t)word_at(code + i + 2));
	for (size_t i = 0; !found && i <= 4 && i + 5 <= size; i += 4)
		if (code[i] == 0x68)
			found = lazy_slot(plt, word_at(code + i + 1));
	return found;
}

static int add_x86(struct plt *plt, const unsigned char *code, size_t size,
		   const GElf_Shdr *section)
{
	size_t step = section->sh_entsize >= 8 && section->sh_entsize <= 64 ? section->sh_entsize :
									      STUB_SIZE;
	int err = 0;

	for (size_t at = 0; !err && at + step <= size; at += step) {
		const struct slot *slot = x86_slot(plt, code + at, step, section->sh_addr + at);

		if (!(at % (1 << 18)) && interrupt__is_due())
			return -EINTR;
		if (slot)
			err = add_stub(plt, slot, section->sh_addr + at, step);
	}
	return err;
}

#define ARM64_BTI_C 0xd503245fu

/*
 * Returns whether @code begins with `adrp xN, PAGE; ldr xM, [xN, #OFFSET]`. If so, sets *@got to
 * the address from which ldr loads.
 */
static bool arm64_got(const unsigned char *code, uint64_t address, uint64_t *got)
{
	uint32_t adrp = word_at(code), ldr = word_at(code + 4);
	int64_t page;

	if ((adrp & 0x9f000000u) != 0x90000000u || (ldr & 0xffc00000u) != 0xf9400000u ||
	    (adrp & 31) != (ldr >> 5 & 31))
		return false;
	page = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3));
	page = page & 1 << 20 ? page - (1 << 21) : page;
	*got = (address & ~(uint64_t)4095) + (uint64_t)(page * 4096) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

static int add_arm64(struct plt *plt, const unsigned char *code, size_t size,
		     const GElf_Shdr *section)
{
	size_t begun = 0;
	const struct slot *of = NULL;
	int err = 0;

	for (size_t at = 0; !err && at + 8 <= size; at += 4) {
		const struct slot *slot = NULL;
		size_t start = at;
		uint64_t got;

		if (!(at % (1 << 18)) && interrupt__is_due())
			return -EINTR;
		if (arm64_got(code + at, section->sh_addr + at, &got))
			slot = slot_at(plt, got);
		if (!slot)
			continue;
		if (at >= 4 && word_at(code + at - 4) == ARM64_BTI_C)
			start -= 4;
		if (of)
			err = add_stub(plt, of, section->sh_addr + begun, start - begun);
		of = slot;
		begun = start;
	}
	return err ?: of ? add_stub(plt, of, section->sh_addr + begun, size - begun) : 0;
}

static int add_section(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data = elf_file__content(section, header, plt->code_left);

	if (!data || !data->d_buf)
		return 0;
	plt->code_left -= data->d_size;
	if (plt->file->header.e_machine == EM_X86_64)
		return add_x86(plt, data->d_buf, data->d_size, header);
	return add_arm64(plt, data->d_buf, data->d_size, header);
}

/* ---- relocations ---- */

static bool fills_slot(const struct elf_file *file, const GElf_Rela *rela)
{
	uint64_t type = GELF_R_TYPE(rela->r_info);

	if (file->header.e_machine == EM_X86_64)
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
		       type == R_X86_64_IRELATIVE;
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT ||
	       type == R_AARCH64_IRELATIVE;
}

/*
 * Reads the relocations of one section. Assumes that all sections refer to the same dynamic symbol
 * table, and reads this table only once. Returns 0 or -ENOMEM.
 */
static int read_slots(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header, bool is_lazy)
{
	const uint64_t most = is_lazy || plt->relocations_left < MOST_DYNAMIC_BYTES ?
				      plt->relocations_left :
				      MOST_DYNAMIC_BYTES;
	Elf_Data *data = elf_file__content(section, header, most);
	size_t nr = data ? data->d_size / sizeof(Elf64_Rela) : 0;
	struct slot *slots = realloc(plt->slots, (plt->nr_slots + nr + 1) * sizeof(*slots));
	Elf_Scn *table = elf_getscn(plt->file->elf, header->sh_link);
	GElf_Shdr of_symbols;
	GElf_Rela rela;

	if (!slots)
		return -ENOMEM;
	plt->slots = slots;
	plt->relocations_left -= data ? data->d_size : 0;
	if (!plt->symbols && table && gelf_getshdr(table, &of_symbols) &&
	    of_symbols.sh_type == SHT_DYNSYM &&
	    !elf_file__names(plt->file, of_symbols.sh_link, &plt->names))
		plt->symbols =
			elf_file__content(table, &of_symbols, ELF_MOST_SYMBOLS * sizeof(Elf64_Sym));
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getrela(data, (int)i, &rela) || !fills_slot(plt->file, &rela))
			continue;
		slots[plt->nr_slots++] = (struct slot){ .got = rela.r_offset,
							.symbol = GELF_R_SYM(rela.r_info),
							.addend = rela.r_addend,
							.number = i,
							.is_lazy = is_lazy };
		if (is_lazy)
			plt->nr_lazy = i + 1;
	}
	return 0;
}

/* Sorts the slots by `got`, and indexes the lazy slots by the numbers of their relocations. */
static int order_slots(struct plt *plt)
{
	if (plt->nr_slots)
		qsort(plt->slots, plt->nr_slots, sizeof(*plt->slots), by_got);
	plt->lazy = calloc(plt->nr_lazy + 1, sizeof(*plt->lazy));
	for (size_t i = 0; plt->lazy && i < plt->nr_slots; i++)
		if (plt->slots[i].is_lazy && plt->slots[i].number < plt->nr_lazy)
			plt->lazy[plt->slots[i].number] = i;
	return plt->lazy ? 0 : -ENOMEM;
}

/* Calls @each for the sections whose names begin with @prefix, until @each returns an error. */
static int each_named(struct plt *plt, const char *prefix,
		      int (*each)(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header,
				  const char *name))
{
	Elf_Scn *section = NULL;
	struct elf_names names;
	size_t at;
	int err = 0;

	if (elf_getshdrstrndx(plt->file->elf, &at) ||
	    elf_file__names(plt->file, (GElf_Word)at, &names))
		return 0;
	while (!err && (section = elf_nextscn(plt->file->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_name < names.size &&
		    !strncmp(names.text + header.sh_name, prefix, strlen(prefix)))
			err = each(plt, section, &header, names.text + header.sh_name);
	}
	return err;
}

static int take_relocations(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header,
			    const char *name)
{
	bool is_plt = !strcmp(name, ".rela.plt");

	return header->sh_type == SHT_RELA && (is_plt || !strcmp(name, ".rela.dyn")) ?
		       read_slots(plt, section, header, is_plt) :
		       0;
}

static int take_stubs(struct plt *plt, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	/* lld writes the stubs of indirect functions (ifunc) to .iplt */
	bool known = !strcmp(name, ".plt") || !strcmp(name, ".plt.sec") ||
		     !strcmp(name, ".plt.got") || !strcmp(name, ".plt.bnd") ||
		     !strcmp(name, ".iplt");

	return known && header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR) ?
		       add_section(plt, section, header) :
		       0;
}

int symbol_table__add_plt(struct symbol_table *table, const struct elf_file *file)
{
	struct plt plt = { .file = file,
			   .table = table,
			   .code_left = ELF_MOST_CODE_BYTES,
			   .relocations_left = MOST_RELOCATION_BYTES };
	int err = 0;

	if (gelf_getclass(file->elf) != ELFCLASS64 ||
	    (file->header.e_machine != EM_X86_64 && file->header.e_machine != EM_AARCH64))
		return 0;
	err = each_named(&plt, ".rela.", take_relocations);
	err = err ?: order_slots(&plt);
	if (!err && plt.nr_slots)
		err = each_named(&plt, ".", take_stubs);
	free(plt.slots);
	free(plt.lazy);
	return err;
}
