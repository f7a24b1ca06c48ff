// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-times.h"

#include <stdlib.h>

#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-shape.h"
#include "util/machine/cpumap.h"

struct times {
	uint64_t enabled, running;
};

struct prog_times {
	const struct backend_group *group;
	const struct prog_shape *shape;
	const struct prog_fds *fds;
	struct times *last; /* [event * CPUs + CPU], since the event was opened */
	struct times *sums; /* the same, of what counts */
};

struct prog_times *prog_times__new(const struct backend_group *group, const struct prog_shape *shape,
				   const struct prog_fds *fds)
{
	struct prog_times *times = calloc(1, sizeof(*times));
	size_t nr = (size_t)group->nr * (size_t)group->cpus->nr + 1;

	if (!times)
		return NULL;
	times->group = group;
	times->shape = shape;
	times->fds = fds;
	times->last = calloc(nr, sizeof(*times->last));
	times->sums = calloc(nr, sizeof(*times->sums));
	if (!times->last || !times->sums) {
		prog_times__free(times);
		return NULL;
	}
	return times;
}

void prog_times__free(struct prog_times *times)
{
	if (!times)
		return;
	free(times->last);
	free(times->sums);
	free(times);
}

static size_t place(const struct prog_times *times, int event, int cpu)
{
	return (size_t)event * (size_t)times->group->cpus->nr + (size_t)cpu;
}

/* A pinned event that lost its counter is enabled no more: its times stand. */
static void update(struct prog_times *times, int event, int cpu, bool counts)
{
	struct times *last = &times->last[place(times, event, cpu)], *sum = &times->sums[place(times, event, cpu)];
	enum prog_kind kind = times->shape->events[event].kind;
	struct reading now;

	if (kind != PROG_CLOCK && kind != PROG_PLAIN)
		return;
	if (prog_fds__read_total(times->fds, event, cpu, &now))
		return;
	if (counts) {
		sum->enabled += now.enabled - last->enabled;
		sum->running += now.running - last->running;
	}
	*last = (struct times){ .enabled = now.enabled, .running = now.running };
}

void prog_times__start(struct prog_times *times)
{
	for (int cpu = 0; cpu < times->group->cpus->nr; cpu++)
		prog_times__advance(times, cpu, false);
}

void prog_times__advance(struct prog_times *times, int cpu, bool had_runs)
{
	for (int event = 0; event < times->group->nr; event++)
		update(times, event, cpu, had_runs);
}

void prog_times__fill(const struct prog_times *times, int event, int cpu, struct reading *reading)
{
	const struct times *sum = &times->sums[place(times, event, cpu)];

	reading->enabled = sum->enabled;
	reading->running = sum->running;
}
