// SPDX-License-Identifier: GPL-2.0-only
/*
 * A layer (map-layer.h) holds address ranges in a long sorted list, and in a short unsorted list of
 * recent ranges. When the short list is full, it is merged into the sorted list. So only the recent
 * ranges have to be searched one by one, and an addition rarely moves all ranges.
 */
#include "util/machine/symbols/map-layer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECENT 128
#define MOST_LAYERS 8 /* if a process needs more layers, its layers are merged into one */

struct map_layer {
	unsigned int refs;
	struct map_layer *below;     /* owned reference to the layer below; NULL: none */
	struct mapped_range *buffer; /* room for `room` ranges */
	/*
	 * `nr` ranges, sorted by address, without overlaps; points into `buffer`, which can have
	 * free space before and after them
	 */
	struct mapped_range *sorted;
	size_t nr, room;
	/* where ranges overlap, a later entry hides earlier entries and the sorted ranges */
	struct mapped_range *recent;
	size_t nr_recent, room_recent;
};

void map_layer__get(struct map_layer *layer)
{
	if (layer)
		layer->refs++;
}

void map_layer__put(struct map_layer *layer, size_t *nr_ranges)
{
	while (layer && !--layer->refs) {
		struct map_layer *below = layer->below;

		*nr_ranges -= layer->nr + layer->nr_recent;
		free(layer->buffer);
		free(layer->recent);
		free(layer);
		layer = below;
	}
}

static struct mapped_range part_of(const struct mapped_range *range, uint64_t start, uint64_t end)
{
	struct mapped_range part = *range;

	part.offset += start - range->start;
	part.start = start;
	part.end = end;
	return part;
}

/*
 * Writes to @out all ranges of @above, and the parts of @below that @above does not cover. @out
 * must have room for @nr_below + 2 * @nr_above ranges. Both lists must be sorted and contain no
 * overlaps; the result then has the same properties. Returns the length of the result.
 */
static size_t overlay(const struct mapped_range *below, size_t nr_below,
		      const struct mapped_range *above, size_t nr_above, struct mapped_range *out)
{
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < nr_below; i++) {
		uint64_t start = below[i].start, end = below[i].end;

		while (at < nr_above && above[at].end <= start)
			out[nr++] = above[at++];
		while (start < end && at < nr_above && above[at].start < end) {
			if (above[at].start > start)
				out[nr++] = part_of(&below[i], start, above[at].start);
			start = above[at].end < end ? above[at].end : end;
			if (start < end)
				out[nr++] = above[at++];
		}
		if (start < end)
			out[nr++] = part_of(&below[i], start, end);
	}
	while (at < nr_above)
		out[nr++] = above[at++];
	return nr;
}

static const struct mapped_range *find_sorted(const struct mapped_range *ranges, size_t nr,
					      uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < ranges[low - 1].end ? &ranges[low - 1] : NULL;
}

/*
 * Sorts copies of the recent ranges into @sorted, and removes overlaps. Returns the number of
 * ranges in @sorted.
 */
static size_t sort_recent(const struct map_layer *layer,
			  struct mapped_range sorted[static 2 * MOST_RECENT])
{
	struct mapped_range next[4 * MOST_RECENT];
	size_t nr = 0;

	for (size_t i = 0; i < layer->nr_recent; i++) {
		nr = overlay(sorted, nr, &layer->recent[i], 1, next);
		memcpy(sorted, next, nr * sizeof(*next));
	}
	return nr;
}

static int merge_recent(struct map_layer *layer, size_t *nr_ranges)
{
	/* each recent range can split another range, so the list can become twice as long */
	struct mapped_range recent[2 * MOST_RECENT], *merged;
	size_t nr = sort_recent(layer, recent), room = layer->nr + 2 * nr,
	       old = layer->nr + layer->nr_recent;

	merged = malloc((room + 1) * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	layer->nr = overlay(layer->sorted, layer->nr, recent, nr, merged);
	layer->nr_recent = 0;
	layer->room = room;
	free(layer->buffer);
	layer->buffer = layer->sorted = merged;
	*nr_ranges += layer->nr - old;
	return 0;
}

/*
 * Makes room for one more range at each end of the sorted ranges. Additions happen at both ends,
 * because /proc lists ranges in ascending order, but mmap() usually places each new range below the
 * previous one.
 */
static int make_room(struct map_layer *layer)
{
	size_t before = (size_t)(layer->sorted - layer->buffer), room = 3 * layer->nr + 16;
	struct mapped_range *buffer;

	if (before && before + layer->nr < layer->room)
		return 0;
	buffer = malloc(room * sizeof(*buffer));
	if (!buffer)
		return -ENOMEM;
	if (layer->nr)
		memcpy(buffer + layer->nr + 8, layer->sorted, layer->nr * sizeof(*buffer));
	free(layer->buffer);
	layer->buffer = buffer;
	layer->sorted = buffer + layer->nr + 8;
	layer->room = room;
	return 0;
}

/*
 * Returns whether @range can be added at an end of the sorted ranges. This is possible only if
 * there are no recent ranges, because they would hide @range, although they are older.
 */
static bool is_beside(const struct map_layer *layer, const struct mapped_range *range)
{
	return !layer->nr_recent &&
	       (!layer->nr || layer->sorted[layer->nr - 1].end <= range->start ||
		range->end <= layer->sorted[0].start);
}

static int add_beside(struct map_layer *layer, const struct mapped_range *range)
{
	if (make_room(layer))
		return -ENOMEM;
	if (layer->nr && range->end <= layer->sorted[0].start)
		*--layer->sorted = *range;
	else
		layer->sorted[layer->nr] = *range;
	layer->nr++;
	return 0;
}

static int add_recent(struct map_layer *layer, const struct mapped_range *range, size_t *nr_ranges)
{
	int err = layer->nr_recent == MOST_RECENT ? merge_recent(layer, nr_ranges) : 0;

	if (!err && layer->nr_recent == layer->room_recent) {
		size_t room = layer->room_recent ? 2 * layer->room_recent : 8;
		struct mapped_range *recent = realloc(layer->recent, room * sizeof(*recent));

		if (!recent)
			return -ENOMEM;
		layer->recent = recent;
		layer->room_recent = room;
	}
	if (!err)
		layer->recent[layer->nr_recent++] = *range;
	return err;
}

int map_layer__add(struct map_layer *layer, const struct mapped_range *range, size_t *nr_ranges)
{
	int err;

	if (layer->nr >= MOST_RANGES || *nr_ranges >= MOST_RANGES_OF_ALL)
		return -E2BIG;
	err = is_beside(layer, range) ? add_beside(layer, range) :
					add_recent(layer, range, nr_ranges);
	*nr_ranges += !err;
	return err;
}

static const struct mapped_range *find_in(const struct map_layer *layer, uint64_t address)
{
	for (size_t i = layer->nr_recent; i-- > 0;)
		if (address >= layer->recent[i].start && address < layer->recent[i].end)
			return &layer->recent[i];
	return find_sorted(layer->sorted, layer->nr, address);
}

const struct mapped_range *map_layer__find(const struct map_layer *layer, uint64_t address)
{
	const struct mapped_range *found = NULL;

	for (; layer && !found; layer = layer->below)
		found = find_in(layer, address);
	return found;
}

static struct map_layer *layer_above(struct map_layer *below)
{
	struct map_layer *layer = calloc(1, sizeof(*layer));

	if (layer) {
		layer->refs = 1;
		layer->below = below;
	}
	return layer;
}

/*
 * Adds the ranges of @from to @to. Where ranges overlap, the range of @from replaces the range of
 * @to. @to must have a single reference. Returns 0; -ENOMEM; or -E2BIG if @to or all layers
 * together could have more than twice the maximum number of ranges.
 */
static int put_above(struct map_layer *to, struct map_layer *from, size_t *nr_ranges)
{
	struct mapped_range *merged;
	size_t room;
	int err = to->nr_recent ? merge_recent(to, nr_ranges) : 0;

	err = err ?: from->nr_recent ? merge_recent(from, nr_ranges) : 0;
	if (err)
		return err;
	room = to->nr + 2 * from->nr;
	if (room > 2 * MOST_RANGES || *nr_ranges + room > 2 * MOST_RANGES_OF_ALL)
		return -E2BIG;
	merged = malloc((room + 1) * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	*nr_ranges -= to->nr;
	to->nr = overlay(to->sorted, to->nr, from->sorted, from->nr, merged);
	*nr_ranges += to->nr;
	free(to->buffer);
	to->buffer = to->sorted = merged;
	to->room = room;
	return 0;
}

int map_layer__flatten(struct map_layer *top, struct map_layer *below, struct map_layer **flat,
		       size_t *nr_ranges)
{
	int err = 0;

	*flat = layer_above(below);
	if (!*flat)
		return -ENOMEM;
	map_layer__get(below);
	/*
	 * merge the layers from the lowest to the highest; walking down from @top to find each
	 * layer is cheap, because there are only a few layers
	 */
	for (struct map_layer *done = NULL, *layer; !err && done != top; done = layer) {
		layer = top;
		while (layer->below != done)
			layer = layer->below;
		err = put_above(*flat, layer, nr_ranges);
	}
	if (err) {
		map_layer__put(*flat, nr_ranges);
		*flat = NULL;
	}
	return err;
}

static int depth_of(const struct map_layer *layer)
{
	int depth = 0;

	for (; layer; layer = layer->below)
		depth++;
	return depth;
}

int map_layer__own(struct map_layer **layer, size_t *nr_ranges)
{
	struct map_layer *shared = *layer, *own;
	int err;

	if (shared && shared->refs == 1)
		return 0;
	if (depth_of(shared) < MOST_LAYERS) {
		own = layer_above(shared);
		err = own ? 0 : -ENOMEM;
	} else {
		err = map_layer__flatten(shared, NULL, &own, nr_ranges);
		if (!err)
			map_layer__put(shared, nr_ranges);
	}
	if (!err)
		*layer = own;
	return err;
}
