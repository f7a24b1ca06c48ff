// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/machine/scope/scope-search.h"
#include "util/machine/symbols/elf-file.h"

#define OWNER "stapsdt"
#define TYPE 3
/*
 * The maximum size of a section of notes, in bytes. Even the notes of a program with thousands of
 * places need only about 1 MB.
 */
#define MOST_BYTES (16 << 20)

struct usdt_reader {
	const struct elf_file *file;
	struct elf_segments segments;
	uint64_t base; /* address of the section .stapsdt.base; 0: there is no such section */
	bool is_64;
};

/*
 * Returns one of the three addresses at the beginning of a note: the address of the place (@index
 * is 0), of .stapsdt.base (1), or of the semaphore (2).
 */
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
 * Returns the string at *@at and moves *@at past it. Returns NULL if there is no NUL before @end,
 * the end of the note.
 */
static const char *take_string(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/*
 * Parses a note. Returns false if the note is malformed, or if the place or its semaphore is not in
 * the file.
 */
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
	 * prelink moves sections but does not change notes. Each note contains the original address
	 * of .stapsdt.base. The difference between the original and the current address is the
	 * distance by which prelink moved the sections.
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

/* ---- finding points: usdt:FILE:PROVIDER:NAME ---- */

struct finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_target target;
	struct scope_points *points;
	int first; /* index of the first point that this search adds */
};

/*
 * Returns whether the place has already been added. Several notes can describe one place, because
 * several instances of a C++ template can share their code.
 */
static bool is_known(const struct finder *finder, const struct usdt_place *place)
{
	for (int i = finder->first; i < finder->points->nr; i++)
		if (finder->points->points[i].offset == place->offset)
			return true;
	return false;
}

static int add_place(const struct usdt_place *place, void *arg)
{
	struct finder *finder = arg;
	struct scope_point point = { .kind = POINT_USDT,
				     .file = finder->target.index,
				     .offset = place->offset,
				     .ref_ctr_offset = place->ref_ctr_offset,
				     .syscall = -1 };

	if ((finder->spec->group.pattern &&
	     !scope_word__matches(&finder->spec->group, place->provider)) ||
	    !scope_word__matches(&finder->spec->name, place->name) || is_known(finder, place))
		return 0;
	if (asprintf(&point.name, "%s:%s:%s", finder->target.label, place->provider, place->name) <
	    0)
		point.name = NULL;
	return scope_points__add(finder->points, &point);
}

struct offer {
	struct near_names *near;
	const char *wanted;
};

static int offer_place(const struct usdt_place *place, void *arg)
{
	const struct offer *offer = arg;

	near_names__offer(offer->near, offer->wanted, place->name);
	return 0;
}

static int refuse_unknown(const struct finder *finder)
{
	const struct point_spec *spec = finder->spec;
	struct near_names near = { 0 };
	struct offer offer = { &near, spec->name.text };

	scope_search__refuse(finder->search, spec->name.column, -ENOENT,
			     "%s has no USDT point '%s%s%s'", finder->target.label,
			     spec->group.text ?: "", spec->group.text ? ":" : "", spec->name.text);
	scope_usdt__each(&finder->target.elf, offer_place, &offer);
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(finder->search->why, "%s'%s'",
			     i ? ", " : "\nsimilar names: ", near.names[i]);
	near_names__free(&near);
	return -ENOENT;
}

int scope_usdt__find(const struct scope_search *search, const struct point_spec *spec,
		     struct scope_points *points)
{
	struct finder finder = {
		.search = search, .spec = spec, .points = points, .first = points->nr
	};
	int err = scope_target__open(&finder.target, search, &spec->file);

	if (err)
		return err;
	err = scope_usdt__each(&finder.target.elf, add_place, &finder);
	if (err == -ENOENT && elf_file__is_truncated(&finder.target.elf))
		err = scope_search__refuse(search, spec->file.column, -EBADMSG, "%s: %s",
					   finder.target.label, elf_file__strerror(-EBADMSG));
	else if (err == -ENOENT)
		scope_search__refuse(search, spec->file.column, err, "%s has no USDT points",
				     finder.target.label);
	else if (!err && points->nr == finder.first)
		err = refuse_unknown(&finder);
	scope_target__close(&finder.target);
	return err;
}
