// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/gate.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-shape.h"
#include "util/machine/cpu/cpumap.h"

struct times {
	uint64_t enabled, running;
};

struct prog_times {
	const struct backend_group *group;
	const struct prog_shape *shape;
	const struct prog_fds *fds;
	struct times *last; /* [event * CPUs + CPU]: times in ns at the latest reading */
	struct times *sums; /* [(row * events + event) * CPUs + CPU]: times in ns */
	int nr_rows;
	/* the maximum time in ns that one call to prog_times__advance() adds */
	uint64_t most;
};

static size_t cells_of_row(const struct prog_times *times)
{
	return (size_t)times->group->nr * (size_t)times->group->cpus->nr;
}

struct prog_times *prog_times__new(const struct backend_group *group,
				   const struct prog_shape *shape, const struct prog_fds *fds)
{
	struct prog_times *times = calloc(1, sizeof(*times));

	if (!times)
		return NULL;
	times->group = group;
	times->shape = shape;
	times->fds = fds;
	times->most = UINT64_MAX;
	times->last = calloc(cells_of_row(times) + 1, sizeof(*times->last));
	if (!times->last || prog_times__widen(times, 1)) {
		prog_times__free(times);
		return NULL;
	}
	return times;
}

int prog_times__widen(struct prog_times *times, int nr_rows)
{
	size_t had = (size_t)times->nr_rows * cells_of_row(times),
	       want = (size_t)nr_rows * cells_of_row(times);
	struct times *sums;

	if (nr_rows <= times->nr_rows)
		return 0;
	sums = realloc(times->sums, sizeof(*sums) * (want + 1));
	if (!sums)
		return -ENOMEM;
	memset(sums + had, 0, sizeof(*sums) * (want - had));
	times->sums = sums;
	times->nr_rows = nr_rows;
	return 0;
}

void prog_times__free(struct prog_times *times)
{
	if (!times)
		return;
	free(times->last);
	free(times->sums);
	free(times);
}

static size_t place(const struct prog_times *times, int row, int event, int cpu)
{
	return (size_t)row * cells_of_row(times) + (size_t)event * (size_t)times->group->cpus->nr +
	       (size_t)cpu;
}

/*
 * Measures for how long the event has been enabled, and for how long it has had a counter, since
 * the previous call for this event and CPU. Adds these times to each row for which @had_runs[row]
 * is true. Does nothing if the BPF programs read the event's times (PROG_TIMED), if nothing is read
 * for the event (PROG_NONE), or if the event cannot be read, for example because it is pinned and
 * has lost its counter.
 */
static void update(struct prog_times *times, int event, int cpu, const bool *had_runs)
{
	struct times *last = &times->last[place(times, 0, event, cpu)];
	enum prog_kind kind = times->shape->events[event].kind;
	struct reading now;
	struct times passed;

	if (kind != PROG_CLOCK && kind != PROG_PLAIN)
		return;
	if (prog_fds__read_total(times->fds, event, cpu, &now))
		return;
	passed = (struct times){ .enabled = now.enabled - last->enabled,
				 .running = now.running - last->running };
	gate__limit_times(times->most, &passed.enabled, &passed.running);
	for (int row = 0; had_runs && row < times->nr_rows; row++) {
		struct times *sum = &times->sums[place(times, row, event, cpu)];

		if (had_runs[row]) {
			sum->enabled += passed.enabled;
			sum->running += passed.running;
		}
	}
	*last = (struct times){ .enabled = now.enabled, .running = now.running };
}

void prog_times__limit(struct prog_times *times, uint64_t open_ns)
{
	times->most = open_ns;
}

void prog_times__start(struct prog_times *times)
{
	for (int cpu = 0; cpu < times->group->cpus->nr; cpu++)
		prog_times__advance(times, cpu, NULL);
}

void prog_times__advance(struct prog_times *times, int cpu, const bool *had_runs)
{
	for (int event = 0; event < times->group->nr; event++)
		update(times, event, cpu, had_runs);
}

void prog_times__fill(const struct prog_times *times, int row, int event, int cpu,
		      struct reading *reading)
{
	const struct times *sum = &times->sums[place(times, row, event, cpu)];

	reading->enabled = sum->enabled;
	reading->running = sum->running;
}
