// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/function-starts.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/machine/symbols/elf-file.h"

/*
 * The start of .eh_frame_hdr (LSB core specification) in the format that linkers usually write. The
 * list of `nr` entries follows.
 */
struct header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t nr;
};

struct entry {
	/* the addresses of a function and of its unwind data, relative to the header */
	int32_t start, frame;
};

static bool is_usual(const struct header *header)
{
	return header->version == 1 && (header->frame_encoding & 0x0f) == DW_EH_PE_sdata4 &&
	       header->count_encoding == DW_EH_PE_udata4 &&
	       header->table_encoding == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

static int find_segment(const struct elf_file *file, GElf_Phdr *segment)
{
	size_t nr = 0;

	if (elf_getphdrnum(file->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(file->elf, (int)i, segment) && segment->p_type == PT_GNU_EH_FRAME)
			return 0;
	return -ENOENT;
}

static bool read_at(const struct elf_file *file, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(file->fd, to, size, (off_t)at) == (ssize_t)size;
}

int function_starts__read(struct function_starts *list, const struct elf_file *file)
{
	struct entry *entries;
	struct header header;
	GElf_Phdr segment;
	bool is_read;

	*list = (struct function_starts){ .nr = 0 };
	if (find_segment(file, &segment) ||
	    !read_at(file, &header, sizeof(header), segment.p_offset) || !is_usual(&header) ||
	    !header.nr)
		return -ENOENT;
	if (header.nr > ELF_MOST_SYMBOLS)
		return -E2BIG;
	entries = malloc(header.nr * sizeof(*entries));
	list->starts = malloc(header.nr * sizeof(*list->starts));
	is_read = entries && list->starts &&
		  read_at(file, entries, header.nr * sizeof(*entries),
			  segment.p_offset + sizeof(header));
	for (size_t i = 0; is_read && i < header.nr; i++)
		list->starts[i] = entries[i].start;
	if (is_read) {
		list->nr = header.nr;
		list->base = segment.p_vaddr;
	}
	free(entries);
	return is_read ? 0 : -ENOENT;
}

void function_starts__free(struct function_starts *list)
{
	free(list->starts);
	*list = (struct function_starts){ .nr = 0 };
}

uint64_t function_starts__find(const struct function_starts *list, uint64_t address)
{
	int64_t wanted = (int64_t)(address - list->base);
	uint64_t start;
	size_t low = 0, high = list->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->starts[middle] <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	/* in an invalid file, the sum may overflow */
	start = list->base + (uint64_t)(int64_t)list->starts[low - 1];
	return start <= address ? start : 0;
}
