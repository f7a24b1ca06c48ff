// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/kernel-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* By address; no two overlap. */
struct kernel_code {
	struct kernel_code_range *ranges;
	size_t nr, room;
	bool complete;
};

struct kernel_code *kernel_code__new(void)
{
	return calloc(1, sizeof(struct kernel_code));
}

void kernel_code__free(struct kernel_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->nr; i++)
		free(code->ranges[i].name);
	free(code->ranges);
	free(code);
}

/* The first range that ends behind @address. */
static size_t place_of(const struct kernel_code *code, uint64_t address)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many, from @place on, begin before @end. */
static size_t count_overlapped(const struct kernel_code *code, size_t place, uint64_t end)
{
	size_t nr = 0;

	while (place + nr < code->nr && code->ranges[place + nr].start < end)
		nr++;
	return nr;
}

static int grow(struct kernel_code *code)
{
	size_t room = code->room ? 2 * code->room : 64;
	struct kernel_code_range *ranges;

	if (code->nr < code->room)
		return 0;
	ranges = realloc(code->ranges, room * sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	code->ranges = ranges;
	code->room = room;
	return 0;
}

/* @range, whose name becomes the table's, for the @nr ranges at @place. */
static int replace(struct kernel_code *code, size_t place, size_t nr, const struct kernel_code_range *range)
{
	if (grow(code))
		return -ENOMEM;
	for (size_t i = place; i < place + nr; i++)
		free(code->ranges[i].name);
	memmove(&code->ranges[place + 1], &code->ranges[place + nr], sizeof(*range) * (code->nr - place - nr));
	code->ranges[place] = *range;
	code->nr = code->nr + 1 - nr;
	return 0;
}

int kernel_code__add(struct kernel_code *code, uint64_t start, uint64_t len, const char *name)
{
	struct kernel_code_range range = { .start = start, .end = start + len };
	size_t place = place_of(code, start);
	int err;

	if (range.end <= start)
		return 0;
	range.name = strdup(name);
	err = range.name ? replace(code, place, count_overlapped(code, place, range.end), &range) : -ENOMEM;
	if (err)
		free(range.name);
	return err;
}

int kernel_code__add_length(struct kernel_code *code, uint64_t start, uint64_t len)
{
	const struct kernel_code_range range = { .start = start, .end = start + len };
	size_t place = place_of(code, start);

	if (range.end <= start || count_overlapped(code, place, range.end))
		return 0;
	return replace(code, place, 0, &range);
}

const struct kernel_code_range *kernel_code__find(const struct kernel_code *code, uint64_t address)
{
	size_t place = place_of(code, address);

	return place < code->nr && code->ranges[place].start <= address ? &code->ranges[place] : NULL;
}

void kernel_code__set_complete(struct kernel_code *code)
{
	code->complete = true;
}

bool kernel_code__is_complete(const struct kernel_code *code)
{
	return code->complete;
}
