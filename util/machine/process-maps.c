// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/process-maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* By pid. A later range hides earlier ones: it is found first. */
struct process_maps {
	struct process {
		pid_t pid;
		int nr;
		uint64_t ended; /* as which one; 0: it has not */
		struct mapped_range *ranges;
	} * processes;
	int nr;
	uint64_t nr_ended;
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
		free(maps->processes[i].ranges);
	free(maps->processes);
	free(maps);
}

/* Where the process is, or would be. */
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

	return place < maps->nr && maps->processes[place].pid == pid ? &maps->processes[place] : NULL;
}

static struct process *make_process(struct process_maps *maps, pid_t pid)
{
	struct process *process = process_of(maps, pid), *processes;
	int place = place_of(maps, pid);

	if (process && process->ended) {
		/* the id is another one's now */
		free(process->ranges);
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
	struct mapped_range *ranges;

	if (!process)
		return -ENOMEM;
	/* told again, or another file at the very same place */
	for (int i = 0; i < process->nr; i++) {
		if (process->ranges[i].start == range->start && process->ranges[i].end == range->end) {
			memmove(&process->ranges[i], &process->ranges[i + 1],
				sizeof(*range) * (size_t)(process->nr - i - 1));
			process->ranges[process->nr - 1] = *range;
			return 0;
		}
	}
	ranges = realloc(process->ranges, sizeof(*ranges) * (size_t)(process->nr + 1));
	if (!ranges)
		return -ENOMEM;
	process->ranges = ranges;
	ranges[process->nr++] = *range;
	return 0;
}

int process_maps__copy(struct process_maps *maps, pid_t parent, pid_t child)
{
	struct process *to = make_process(maps, child), *from = process_of(maps, parent);
	struct mapped_range *ranges;

	if (!to)
		return -ENOMEM;
	if (!from || from == to || !from->nr)
		return 0;
	ranges = realloc(to->ranges, sizeof(*ranges) * (size_t)(from->nr + to->nr));
	if (!ranges)
		return -ENOMEM;
	memmove(ranges + from->nr, ranges, sizeof(*ranges) * (size_t)to->nr);
	memcpy(ranges, from->ranges, sizeof(*ranges) * (size_t)from->nr);
	to->ranges = ranges;
	to->nr += from->nr;
	return 0;
}

/* All at once, of the older half of those that have ended: each is moved seldom. */
static void drop_ended(struct process_maps *maps)
{
	int kept = 0;

	for (int i = 0; i < maps->nr; i++) {
		struct process *process = &maps->processes[i];

		if (process->ended && process->ended + ENDED_KEPT <= maps->nr_ended)
			free(process->ranges);
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

const struct mapped_range *process_maps__find(const struct process_maps *maps, pid_t pid, uint64_t address)
{
	const struct process *process = process_of(maps, pid);

	for (int i = process ? process->nr - 1 : -1; i >= 0; i--)
		if (address >= process->ranges[i].start && address < process->ranges[i].end)
			return &process->ranges[i];
	return NULL;
}
