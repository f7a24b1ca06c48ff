// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapped ranges of processes. Each process has a chain of layers: its own ranges, below them
 * the ranges of its parent, and so on. A fork only adds a reference to the parent's layers. A
 * process that maps something while its layer is shared gets its own layer on top. Each layer has a
 * sorted list. The latest mappings are in a short unsorted list until merging them is worthwhile,
 * so neither a search nor an addition scans all ranges.
 */
#include "util/machine/symbols/process-maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECENT 128
#define MOST_LAYERS 8 /* with more than this, the layers are merged into one */

struct layer {
	unsigned int refs;
	struct layer *below;	     /* owns a reference; NULL: none */
	struct mapped_range *buffer; /* room for `room` ranges */
	/* points into buffer, with free space at both ends; sorted by address, without overlaps */
	struct mapped_range *sorted;
	size_t nr, room;
	struct mapped_range *recent; /* later entries hide earlier ones and the sorted ranges */
	size_t nr_recent, room_recent;
};

/* Sorted by pid. */
struct process_maps {
	struct process {
		pid_t pid;
		uint64_t ended; /* position among the ended processes, from 1; 0: still running */
		struct layer *top;
	} * processes;
	int nr;
	uint64_t nr_ended;
	size_t nr_ranges; /* in all layers */
};

struct process_maps *process_maps__new(void)
{
	return calloc(1, sizeof(struct process_maps));
}

static void layer__put(struct process_maps *maps, struct layer *layer)
{
	while (layer && !--layer->refs) {
		struct layer *below = layer->below;

		maps->nr_ranges -= layer->nr + layer->nr_recent;
		free(layer->buffer);
		free(layer->recent);
		free(layer);
		layer = below;
	}
}

void process_maps__free(struct process_maps *maps)
{
	if (!maps)
		return;
	for (int i = 0; i < maps->nr; i++)
		layer__put(maps, maps->processes[i].top);
	free(maps->processes);
	free(maps);
}

/* ---- ranges ---- */

static struct mapped_range part_of(const struct mapped_range *range, uint64_t start, uint64_t end)
{
	struct mapped_range part = *range;

	part.offset += start - range->start;
	part.start = start;
	part.end = end;
	return part;
}

/*
 * Writes all of @above, and the parts of @below that @above does not cover, to @out, which has room
 * for @nr_below + 2 * @nr_above ranges. Both lists and the result are sorted and without overlaps.
 * Returns the length of the result.
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

/* ---- layers ---- */

/* Sorts the recent ranges and removes their overlaps. Returns their number. */
static size_t sort_recent(const struct layer *layer,
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

static int merge_recent(struct process_maps *maps, struct layer *layer)
{
	/* a range can split another in two, so there are at most twice as many */
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
	maps->nr_ranges += layer->nr - old;
	return 0;
}

/*
 * Makes room at both ends of the sorted ranges, because /proc lists ranges upwards, and mmap()
 * places them downwards.
 */
static int make_room(struct layer *layer)
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
 * Returns whether @range can be added at an end of the sorted ranges, because there are no recent
 * ranges.
 */
static bool is_beside(const struct layer *layer, const struct mapped_range *range)
{
	return !layer->nr_recent &&
	       (!layer->nr || layer->sorted[layer->nr - 1].end <= range->start ||
		range->end <= layer->sorted[0].start);
}

static int add_beside(struct layer *layer, const struct mapped_range *range)
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

static int add_recent(struct process_maps *maps, struct layer *layer,
		      const struct mapped_range *range)
{
	int err = layer->nr_recent == MOST_RECENT ? merge_recent(maps, layer) : 0;

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

static int layer__add(struct process_maps *maps, struct layer *layer,
		      const struct mapped_range *range)
{
	int err;

	if (layer->nr >= MOST_RANGES || maps->nr_ranges >= MOST_RANGES_OF_ALL)
		return -E2BIG;
	err = is_beside(layer, range) ? add_beside(layer, range) : add_recent(maps, layer, range);
	maps->nr_ranges += !err;
	return err;
}

static const struct mapped_range *layer__find(const struct layer *layer, uint64_t address)
{
	for (size_t i = layer->nr_recent; i-- > 0;)
		if (address >= layer->recent[i].start && address < layer->recent[i].end)
			return &layer->recent[i];
	return find_sorted(layer->sorted, layer->nr, address);
}

static struct layer *layer__new(struct layer *below)
{
	struct layer *layer = calloc(1, sizeof(*layer));

	if (layer) {
		layer->refs = 1;
		layer->below = below;
	}
	return layer;
}

/* Adds the ranges of @from to @to, on top of those of @to. Only one process may use @to. */
static int put_above(struct process_maps *maps, struct layer *to, struct layer *from)
{
	struct mapped_range *merged;
	size_t room;
	int err = to->nr_recent ? merge_recent(maps, to) : 0;

	err = err ?: from->nr_recent ? merge_recent(maps, from) : 0;
	if (err)
		return err;
	room = to->nr + 2 * from->nr;
	if (room > 2 * MOST_RANGES || maps->nr_ranges + room > 2 * MOST_RANGES_OF_ALL)
		return -E2BIG;
	merged = malloc((room + 1) * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	maps->nr_ranges -= to->nr;
	to->nr = overlay(to->sorted, to->nr, from->sorted, from->nr, merged);
	maps->nr_ranges += to->nr;
	free(to->buffer);
	to->buffer = to->sorted = merged;
	to->room = room;
	return 0;
}

/*
 * Sets *@flat to a layer with the ranges of @top and of all layers below it. The new layer is on
 * top of @below, to which it holds a reference. @top is unchanged.
 */
static int flatten(struct process_maps *maps, struct layer *top, struct layer *below,
		   struct layer **flat)
{
	int err = 0;

	*flat = layer__new(below);
	if (!*flat)
		return -ENOMEM;
	if (below)
		below->refs++;
	/* from the lowest layer to the highest; there are few layers */
	for (struct layer *done = NULL, *layer; !err && done != top; done = layer) {
		layer = top;
		while (layer->below != done)
			layer = layer->below;
		err = put_above(maps, *flat, layer);
	}
	if (err) {
		layer__put(maps, *flat);
		*flat = NULL;
	}
	return err;
}

static int depth_of(const struct layer *layer)
{
	int depth = 0;

	for (; layer; layer = layer->below)
		depth++;
	return depth;
}

/* ---- processes ---- */

/* Returns the index of the process, or the index where it belongs. */
static int place_of(const struct process_maps *maps, pid_t pid)
{
	int low = 0, high = maps->nr;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (maps->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct process *process_of(const struct process_maps *maps, pid_t pid)
{
	int place = place_of(maps, pid);

	return place < maps->nr && maps->processes[place].pid == pid ? &maps->processes[place] :
								       NULL;
}

static struct process *make_process(struct process_maps *maps, pid_t pid)
{
	struct process *process = process_of(maps, pid), *processes;
	int place = place_of(maps, pid);

	if (process && process->ended) {
		/* another process has this id now */
		layer__put(maps, process->top);
		*process = (struct process){ .pid = pid };
	}
	if (process)
		return process;
	processes = realloc(maps->processes, sizeof(*processes) * (size_t)(maps->nr + 1));
	if (!processes)
		return NULL;
	maps->processes = processes;
	process = &processes[place];
	memmove(process + 1, process, sizeof(*process) * (size_t)(maps->nr++ - place));
	*process = (struct process){ .pid = pid };
	return process;
}

/* Gives @process a top layer that no other process uses. Returns 0, -ENOMEM or -E2BIG. */
static int own_layer(struct process_maps *maps, struct process *process)
{
	struct layer *layer = process->top;
	int err = 0;

	if (layer && layer->refs == 1)
		return 0;
	if (depth_of(layer) >= MOST_LAYERS) {
		err = flatten(maps, process->top, NULL, &layer);
		if (!err)
			layer__put(maps, process->top);
	} else {
		layer = layer__new(process->top);
		err = layer ? 0 : -ENOMEM;
	}
	if (!err)
		process->top = layer;
	return err;
}

int process_maps__add(struct process_maps *maps, pid_t pid, const struct mapped_range *range)
{
	struct process *process = make_process(maps, pid);
	int err = process ? own_layer(maps, process) : -ENOMEM;

	if (err || range->start >= range->end)
		return err;
	return layer__add(maps, process->top, range);
}

int process_maps__copy(struct process_maps *maps, pid_t parent, pid_t child)
{
	struct process *to = make_process(maps, child), *from = process_of(maps, parent);
	struct layer *layer;
	int err;

	if (!to)
		return -ENOMEM;
	if (!from || from == to || !from->top)
		return 0;
	if (!to->top) {
		from->top->refs++;
		to->top = from->top;
		return 0;
	}
	err = flatten(maps, to->top, from->top, &layer);
	if (err)
		return err == -E2BIG ? 0 : err;
	layer__put(maps, to->top);
	to->top = layer;
	return 0;
}

/*
 * Drops all processes that ended before the last ENDED_KEPT ones. It moves all entries, so it is
 * called rarely.
 */
static void drop_ended(struct process_maps *maps)
{
	int kept = 0;

	for (int i = 0; i < maps->nr; i++) {
		struct process *process = &maps->processes[i];

		if (process->ended && process->ended + ENDED_KEPT <= maps->nr_ended)
			layer__put(maps, process->top);
		else
			maps->processes[kept++] = *process;
	}
	maps->nr = kept;
}

void process_maps__end(struct process_maps *maps, pid_t pid)
{
	struct process *process = process_of(maps, pid);

	if (!process)
		return;
	process->ended = ++maps->nr_ended;
	if (maps->nr_ended % ENDED_KEPT == 0)
		drop_ended(maps);
}

const struct mapped_range *process_maps__find(const struct process_maps *maps, pid_t pid,
					      uint64_t address)
{
	const struct process *process = process_of(maps, pid);
	const struct mapped_range *found = NULL;

	for (const struct layer *layer = process ? process->top : NULL; layer && !found;
	     layer = layer->below)
		found = layer__find(layer, address);
	return found;
}
