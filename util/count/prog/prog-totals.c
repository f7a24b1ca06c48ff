// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-totals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-sums.h"
#include "util/count/prog/prog-target.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* The maximum number of times that prog_snapshot__take() reads the totals. */
#define MOST_ROUNDS 16

struct prog_snapshot {
	const struct prog_shape *shape;
	const struct cpumap *possible;
	char *values; /* [CPU]: the totals that prog_snapshot__of_cpu() returns */
	char *fresh;  /* [CPU]: the totals from the latest attempt to read them */
	bool *whole;  /* [CPU]: whether all runs in `values` are complete */
};

struct prog_snapshot *prog_snapshot__new(const struct prog_shape *shape,
					 const struct cpumap *possible)
{
	struct prog_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	size_t nr = (size_t)possible->nr;

	if (!snapshot)
		return NULL;
	snapshot->shape = shape;
	snapshot->possible = possible;
	snapshot->values = calloc(nr, prog_shape__totals_size(shape));
	snapshot->fresh = calloc(nr, prog_shape__totals_size(shape));
	snapshot->whole = calloc(nr, sizeof(*snapshot->whole));
	if (!snapshot->values || !snapshot->fresh || !snapshot->whole) {
		prog_snapshot__free(snapshot);
		return NULL;
	}
	return snapshot;
}

void prog_snapshot__free(struct prog_snapshot *snapshot)
{
	if (!snapshot)
		return;
	free(snapshot->values);
	free(snapshot->fresh);
	free(snapshot->whole);
	free(snapshot);
}

/*
 * For each CPU for which `whole` is not set yet, copies the totals from `fresh` to `values`, and
 * sets `whole` if they contain no incomplete run. Returns whether `whole` is now set for all CPUs.
 */
static bool keep_whole(struct prog_snapshot *snapshot)
{
	size_t size = prog_shape__totals_size(snapshot->shape);
	bool all = true;

	for (int i = 0; i < snapshot->possible->nr; i++) {
		const char *fresh = snapshot->fresh + size * (size_t)i;

		if (snapshot->whole[i])
			continue;
		memcpy(snapshot->values + size * (size_t)i, fresh, size);
		snapshot->whole[i] =
			prog_shape__is_whole(snapshot->shape, (const struct prog_totals *)fresh);
		all &= snapshot->whole[i];
	}
	return all;
}

int prog_snapshot__take(struct prog_snapshot *snapshot, const struct prog_target *target)
{
	bool all = false;

	memset(snapshot->whole, 0, sizeof(*snapshot->whole) * (size_t)snapshot->possible->nr);
	for (int round = 0; !all && round < MOST_ROUNDS; round++) {
		int err = prog_target__read(target, snapshot->fresh, snapshot->shape->why);

		if (err)
			return err;
		all = keep_whole(snapshot);
	}
	return 0;
}

int prog_snapshot__torn(const struct prog_snapshot *snapshot)
{
	int torn = 0;

	for (int i = 0; i < snapshot->possible->nr; i++)
		torn += !snapshot->whole[i];
	return torn;
}

const struct prog_totals *prog_snapshot__of_cpu(const struct prog_snapshot *snapshot, int cpu_id)
{
	int place = cpumap__index(snapshot->possible, cpu_id);

	if (place < 0)
		return NULL;
	return (const struct prog_totals *)(snapshot->values +
					    prog_shape__totals_size(snapshot->shape) *
						    (size_t)place);
}

static void add_event(const struct prog_shape *shape, const struct prog_set *set,
		      const struct prog_event *how, bool run_cnt, struct reading *sum,
		      uint64_t *cost)
{
	const uint64_t *words = (const uint64_t *)(set + 1) + how->word;

	if (run_cnt)
		sum->value += set->runs;
	if (how->kind == PROG_NONE)
		return;
	sum->value += words[0];
	*cost += set->runs * shape->costs[how->word].own +
		 set->inner * shape->costs[how->word].inner;
	if (how->kind == PROG_TIMED) {
		sum->enabled += words[1];
		sum->running += words[2];
	}
}

/*
 * Adds the count of each event to @sums. Adds the cost of counting, which the count includes, to
 * @costs. If cgroups are counted separately, uses the set (struct prog_set) of the cgroup with the
 * index @part. Otherwise, @part is 0, and the function uses the event's set (struct prog_event).
 */
static void add_part(const struct prog_shape *shape, const struct backend_group *group,
		     const struct prog_totals *totals, int part, struct reading *sums,
		     uint64_t *costs)
{
	for (int event = 0; event < group->nr; event++) {
		const struct prog_event *how = &shape->events[event];

		add_event(shape, prog_shape__set(shape, totals, how->set + part), how,
			  group->evsels[event]->tool == TOOL_RUN_CNT, &sums[event], &costs[event]);
	}
}

void prog_snapshot__add_to(const struct prog_snapshot *snapshot, const struct backend_group *group,
			   int row, struct prog_sums *sums)
{
	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		const struct prog_totals *totals =
			prog_snapshot__of_cpu(snapshot, group->cpus->ids[cpu]);
		struct reading *readings = prog_sums__readings(sums, row, cpu);
		uint64_t *costs = prog_sums__costs(sums, row, cpu);

		if (!totals)
			continue;
		*prog_sums__runs(sums, row, cpu) += totals->added;
		for (int part = 0; part < subjects__cgroups(group->subjects); part++)
			add_part(snapshot->shape, group, totals, part, readings + part * group->nr,
				 costs + part * group->nr);
	}
}

void prog_snapshot__add_hist(const struct prog_snapshot *snapshot,
			     const struct backend_group *group, struct hist_counts *hist)
{
	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		const struct prog_totals *totals =
			prog_snapshot__of_cpu(snapshot, group->cpus->ids[cpu]);
		const uint64_t *buckets;

		if (!totals)
			continue;
		buckets = (const uint64_t *)((const char *)totals +
					     prog_shape__hist_offset(snapshot->shape));
		for (int i = 0; i < HIST_BUCKETS; i++)
			hist->total[i] += buckets[i];
		if (totals->hist_max > hist->max)
			hist->max = totals->hist_max;
	}
}
