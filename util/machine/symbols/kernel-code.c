// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/kernel-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The ranges are sorted by start. Ranges that are loaded at the same time do not overlap. */
struct kernel_code {
	struct kernel_code_range *ranges;
	size_t nr, room;
	uint64_t longest; /* length in bytes of the longest range */
	uint64_t begin, now;
	bool complete;
};

struct kernel_code *kernel_code__new(uint64_t now)
{
	struct kernel_code *code = calloc(1, sizeof(*code));

	if (code)
		code->begin = code->now = now;
	return code;
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

/*
 * Returns the index of the first range that could end after @address. All earlier ranges end at or
 * before @address, because no range is longer than `longest`.
 */
static size_t place_of(const struct kernel_code *code, uint64_t address)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->ranges[middle].start + code->longest <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the index of the first range at or after @place that overlaps [@start, @end), or code->nr
 * if there is none.
 */
static size_t next_in(const struct kernel_code *code, size_t place, uint64_t start, uint64_t end)
{
	for (; place < code->nr && code->ranges[place].start < end; place++)
		if (code->ranges[place].end > start)
			return place;
	return code->nr;
}

static void end_life(struct kernel_code_range *range, uint64_t time)
{
	if (range->since && time > range->since)
		range->lived += time - range->since;
	range->since = 0;
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

/* Inserts a range. Returns NULL if memory ran out. */
static struct kernel_code_range *insert(struct kernel_code *code, uint64_t start, uint64_t end,
					const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	size_t place = 0;

	if ((name && !copy) || grow(code)) {
		free(copy);
		return NULL;
	}
	for (place = place_of(code, start); place < code->nr && code->ranges[place].start <= start;)
		place++;
	memmove(&code->ranges[place + 1], &code->ranges[place],
		sizeof(*code->ranges) * (code->nr++ - place));
	code->ranges[place] =
		(struct kernel_code_range){ .start = start, .end = end, .name = copy };
	if (end - start > code->longest)
		code->longest = end - start;
	return &code->ranges[place];
}

/*
 * Returns the range of the code @name at [@start, @end), and adds it if it is new. Returns NULL if
 * memory ran out.
 */
static struct kernel_code_range *get(struct kernel_code *code, uint64_t start, uint64_t end,
				     const char *name)
{
	for (size_t i = next_in(code, place_of(code, start), start, end); i < code->nr;
	     i = next_in(code, i + 1, start, end)) {
		struct kernel_code_range *range = &code->ranges[i];

		if (range->start == start && range->end == end && range->name &&
		    !strcmp(range->name, name))
			return range;
	}
	return insert(code, start, end, name);
}

int kernel_code__load(struct kernel_code *code, uint64_t start, uint64_t len, const char *name,
		      uint64_t time)
{
	struct kernel_code_range *range;
	uint64_t end = start + len;

	if (end <= start)
		return 0;
	/*
	 * if earlier code at these addresses still counts as loaded, pstat has not received the
	 * record of its unloading, and assumes that it was unloaded at @time
	 */
	for (size_t i = next_in(code, place_of(code, start), start, end); i < code->nr;
	     i = next_in(code, i + 1, start, end))
		end_life(&code->ranges[i], time);
	range = get(code, start, end, name);
	if (!range)
		return -ENOMEM;
	range->since = time;
	return 0;
}

int kernel_code__unload(struct kernel_code *code, uint64_t start, uint64_t len, const char *name,
			uint64_t time)
{
	struct kernel_code_range *range;

	if (start + len <= start)
		return 0;
	range = get(code, start, start + len, name);
	if (!range)
		return -ENOMEM;
	/*
	 * if the loading of the code was not recorded, the code counts as loaded since pstat began
	 * to record
	 */
	if (!range->since && !range->lived)
		range->since = code->begin;
	end_life(range, time);
	return 0;
}

int kernel_code__add_length(struct kernel_code *code, uint64_t start, uint64_t len)
{
	uint64_t end = start + len;

	if (end <= start || next_in(code, place_of(code, start), start, end) < code->nr)
		return 0;
	return insert(code, start, end, NULL) ? 0 : -ENOMEM;
}

void kernel_code__set_now(struct kernel_code *code, uint64_t now)
{
	code->now = now;
}

static uint64_t life_of(const struct kernel_code *code, const struct kernel_code_range *range)
{
	return range->lived +
	       (range->since && code->now > range->since ? code->now - range->since : 0);
}

const struct kernel_code_range *kernel_code__find(const struct kernel_code *code, uint64_t address)
{
	const struct kernel_code_range *found = NULL;

	for (size_t i = next_in(code, place_of(code, address), address, address + 1); i < code->nr;
	     i = next_in(code, i + 1, address, address + 1))
		if (!found || life_of(code, &code->ranges[i]) > life_of(code, found))
			found = &code->ranges[i];
	return found;
}

void kernel_code__set_complete(struct kernel_code *code)
{
	code->complete = true;
}

bool kernel_code__is_complete(const struct kernel_code *code)
{
	return code->complete;
}
