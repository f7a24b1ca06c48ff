// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapped ranges of processes. Each process has a chain of layers (map-layer.h): its own ranges,
 * below them the ranges of its parent, and so on. A fork usually only adds a reference to the
 * parent's top layer. If a process maps a file while its top layer is shared, the process gets a
 * new layer on top.
 */
#include "util/machine/symbols/process-maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The processes are sorted by `pid`. */
struct process_maps {
	struct process {
		pid_t pid;
		/*
		 * its position in the order in which processes ended, counted from 1; 0: still
		 * running
		 */
		uint64_t ended;
		struct map_layer *top;
	} * processes;
	int nr;
	uint64_t nr_ended;
	size_t nr_ranges; /* in all layers */
};

struct process_maps *process_maps__new(void)
{
	return calloc(1, sizeof(struct process_maps));
}

void process_maps__free(struct process_maps *maps)
{
	if (!maps)
		return;
	for (int i = 0; i < maps->nr; i++)
		map_layer__put(maps->processes[i].top, &maps->nr_ranges);
	free(maps->processes);
	free(maps);
}

/* Returns the index of the process @pid, or the index at which to insert it. */
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
		/* another process has the id now */
		map_layer__put(process->top, &maps->nr_ranges);
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

int process_maps__add(struct process_maps *maps, pid_t pid, const struct mapped_range *range)
{
	struct process *process = make_process(maps, pid);
	int err = process ? map_layer__own(&process->top, &maps->nr_ranges) : -ENOMEM;

	if (err || range->start >= range->end)
		return err;
	return map_layer__add(process->top, range, &maps->nr_ranges);
}

int process_maps__copy(struct process_maps *maps, pid_t parent, pid_t child)
{
	struct process *to = make_process(maps, child), *from = process_of(maps, parent);
	struct map_layer *layer;
	int err;

	if (!to)
		return -ENOMEM;
	if (!from || from == to || !from->top)
		return 0;
	if (!to->top) {
		map_layer__get(from->top);
		to->top = from->top;
		return 0;
	}
	err = map_layer__flatten(to->top, from->top, &layer, &maps->nr_ranges);
	if (err)
		return err == -E2BIG ? 0 : err;
	map_layer__put(to->top, &maps->nr_ranges);
	to->top = layer;
	return 0;
}

/*
 * Drops all ended processes except the ENDED_KEPT processes that ended last. This function is
 * called rarely, because it moves all entries.
 */
static void drop_ended(struct process_maps *maps)
{
	int kept = 0;

	for (int i = 0; i < maps->nr; i++) {
		struct process *process = &maps->processes[i];

		if (process->ended && process->ended + ENDED_KEPT <= maps->nr_ended)
			map_layer__put(process->top, &maps->nr_ranges);
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

	return process ? map_layer__find(process->top, address) : NULL;
}
