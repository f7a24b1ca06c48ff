// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/symbols/elf-file.h"

#define OWNER "stapsdt"
#define TYPE 3
/* The maximum size of notes. Programs with thousands of places have 1 MB. */
#define MOST_BYTES (16 << 20)

struct usdt_reader {
	const struct elf_file *file;
	struct elf_segments segments;
	uint64_t base; /* address of the section .stapsdt.base; 0: there is no such section */
	bool is_64;
};

/* Returns number @index of the addresses at the beginning of a note. */
static uint64_t read_address(const struct usdt_reader *reader, const char *note, int index)
{
	uint64_t wide;
	uint32_t narrow;

	if (reader->is_64) {
		memcpy(&wide, note + 8 * index, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, note + 4 * index, sizeof(narrow));
	return narrow;
}

/*
 * Returns the string at *@at and moves *@at past it. Returns NULL if it does not end within the
 * note.
 */
static const char *take_string(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/* Returns whether the note was complete. */
static bool parse(const struct usdt_reader *reader, const char *note, size_t size,
		  struct usdt_place *place)
{
	size_t addresses = reader->is_64 ? 24 : 12;
	uint64_t base, semaphore, moved;
	const char *at, *end = note + size;

	*place = (struct usdt_place){ 0 };
	if (size < addresses)
		return false;
	at = note + addresses;
	place->provider = take_string(&at, end);
	place->name = place->provider ? take_string(&at, end) : NULL;
	place->arguments = place->name && at < end ? take_string(&at, end) : NULL;
	if (!place->name || !*place->name)
		return false;
	/*
	 * prelink moves sections but does not change notes, so the notes contain the address of one
	 * section
	 */
	base = read_address(reader, note, 1);
	moved = reader->base && base ? reader->base - base : 0;
	place->address = read_address(reader, note, 0) + moved;
	semaphore = read_address(reader, note, 2);
	if (semaphore && elf_segments__offset_of(&reader->segments, semaphore + moved, false,
						 &place->ref_ctr_offset))
		return false;
	return !elf_segments__offset_of(&reader->segments, place->address, true, &place->offset);
}

static int read_notes(const struct usdt_reader *reader, Elf_Data *data, int *nr,
		      int (*each)(const struct usdt_place *place, void *arg), void *arg)
{
	size_t name_at, desc_at, at = 0;
	GElf_Nhdr note;
	int err = 0;

	while (!err && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *text = data->d_buf;
		struct usdt_place place;

		if (note.n_type != TYPE || note.n_namesz != sizeof(OWNER) ||
		    memcmp(text + name_at, OWNER, sizeof(OWNER)) != 0 ||
		    !parse(reader, text + desc_at, note.n_descsz, &place))
			continue;
		++*nr;
		err = each(&place, arg);
	}
	return err;
}

static bool has_name(const struct elf_names *names, const GElf_Shdr *header, const char *name)
{
	return header->sh_name < names->size && !strcmp(names->text + header->sh_name, name);
}

static void find_base(struct usdt_reader *reader, const struct elf_names *names)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(reader->file->elf, section)))
		if (gelf_getshdr(section, &header) && has_name(names, &header, ".stapsdt.base"))
			reader->base = header.sh_addr;
}

int scope_usdt__each(const struct elf_file *file,
		     int (*each)(const struct usdt_place *place, void *arg), void *arg)
{
	struct usdt_reader reader = { .file = file,
				      .is_64 = gelf_getclass(file->elf) == ELFCLASS64 };
	Elf_Scn *section = NULL;
	struct elf_names names;
	GElf_Shdr header;
	size_t table;
	int err, nr = 0;

	if (elf_getshdrstrndx(file->elf, &table) || elf_file__names(file, (GElf_Word)table, &names))
		return -ENOENT;
	err = elf_file__segments(file, &reader.segments);
	if (err)
		return err;
	find_base(&reader, &names);
	while (!err && (section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    !has_name(&names, &header, ".note.stapsdt"))
			continue;
		data = elf_file__content(section, &header, MOST_BYTES);
		if (data && data->d_buf)
			err = read_notes(&reader, data, &nr, each, arg);
	}
	free(reader.segments.segments);
	return err ?: nr ? 0 : -ENOENT;
}
