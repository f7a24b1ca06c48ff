// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-totals.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/gate.h"
#include "util/count/hist-counts.h"
#include "util/count/scope/scope-faults.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

struct times {
	uint64_t enabled, running;
};

struct scope_totals_table {
	const struct backend_group *group;
	const struct scope_shape *shape;
	const struct scope_programs *programs;
	const struct event_fds *fds;
	/* all possible CPUs, in the order of the per-CPU values in maps */
	const struct cpumap *possible;
	char *values;	    /* [possible CPU]: totals of one set of sums (scope_shape.nr_sets) */
	struct times *last; /* [event * CPUs + CPU]: times in ns at the last reading */
	/* [event * CPUs + CPU]: how far the times advanced between the last two readings, in ns */
	struct times *passed;
	/* in the next two arrays, the index `place` is row * sets + set */
	struct times *sums;   /* [(place * events + event) * CPUs + CPU]: sums of `passed` */
	uint64_t *runs;	      /* [place * CPUs + CPU]: runs at the last reading */
	uint64_t all_runs;    /* number of runs in all rows at the last reading */
	bool limited;	      /* times of events advance only while the gate (gate.h) is open */
	uint64_t open_before; /* the gate's total open time at the last reading, in ns */
};

struct scope_totals_table *scope_totals__new(const struct backend_group *group,
					     const struct scope_shape *shape,
					     const struct scope_programs *programs,
					     const struct event_fds *fds,
					     const struct cpumap *possible)
{
	struct scope_totals_table *table = calloc(1, sizeof(*table));
	size_t cells = (size_t)group->nr * (size_t)group->cpus->nr + 1;
	size_t places = (size_t)shape->nr_rows * (size_t)shape->nr_sets;

	if (!table)
		return NULL;
	table->group = group;
	table->shape = shape;
	table->programs = programs;
	table->fds = fds;
	table->possible = possible;
	table->values = calloc((size_t)possible->nr, scope_shape__totals_size(shape));
	table->last = calloc(cells, sizeof(*table->last));
	table->passed = calloc(cells, sizeof(*table->passed));
	table->sums = calloc(cells * places, sizeof(*table->sums));
	table->runs = calloc(places * (size_t)group->cpus->nr + 1, sizeof(*table->runs));
	if (table->values && table->last && table->passed && table->sums && table->runs)
		return table;
	scope_totals__free(table);
	return NULL;
}

void scope_totals__free(struct scope_totals_table *table)
{
	if (!table)
		return;
	free(table->values);
	free(table->last);
	free(table->passed);
	free(table->sums);
	free(table->runs);
	free(table);
}

/* ---- the time for which events were enabled and had a counter ---- */

static struct times *times_of(const struct scope_totals_table *table, struct times *times,
			      int place, int event, int cpu)
{
	int nr_cpus = table->group->cpus->nr, nr_events = table->group->nr;

	return &times[((size_t)place * (size_t)nr_events + (size_t)event) * (size_t)nr_cpus +
		      (size_t)cpu];
}

/*
 * Stores in table->passed how much the enabled and running times of an event on one CPU have
 * advanced since the last reading. Does nothing if the BPF programs read the event's times
 * (SCOPE_TIMED), or if the event has no times.
 */
static void advance_event(struct scope_totals_table *table, int event, int cpu)
{
	struct times *last = times_of(table, table->last, 0, event, cpu);
	enum scope_kind kind = table->shape->events[event].kind;
	struct reading now;

	if (kind != SCOPE_PLAIN && kind != SCOPE_CLOCK && kind != SCOPE_SWITCHES)
		return;
	if (event_fds__read_total(table->fds, event, cpu, 0, &now))
		now = (struct reading){ .enabled = last->enabled, .running = last->running };
	*times_of(table, table->passed, 0, event, cpu) =
		(struct times){ .enabled = now.enabled - last->enabled,
				.running = now.running - last->running };
	*last = (struct times){ .enabled = now.enabled, .running = now.running };
}

static void limit_passed(struct scope_totals_table *table, uint64_t open_ns)
{
	size_t cells = (size_t)table->group->nr * (size_t)table->group->cpus->nr;

	for (size_t i = 0; i < cells; i++)
		gate__limit_times(open_ns - table->open_before, &table->passed[i].enabled,
				  &table->passed[i].running);
	table->open_before = open_ns;
}

static void advance(struct scope_totals_table *table)
{
	for (int cpu = 0; cpu < table->group->cpus->nr; cpu++)
		for (int event = 0; event < table->group->nr; event++)
			advance_event(table, event, cpu);
}

/*
 * @runs is the total number of runs that have ended on one CPU and belong to the set of sums with
 * the index @place. If this number has changed since the previous reading, adds table->passed to
 * the times of the set's events on this CPU.
 */
static void advance_set(struct scope_totals_table *table, int place, int cpu, uint64_t runs)
{
	uint64_t *before =
		&table->runs[(size_t)place * (size_t)table->group->cpus->nr + (size_t)cpu];

	if (*before == runs)
		return;
	*before = runs;
	for (int event = 0; event < table->group->nr; event++) {
		const struct times *passed = times_of(table, table->passed, 0, event, cpu);
		struct times *sum = times_of(table, table->sums, place, event, cpu);

		sum->enabled += passed->enabled;
		sum->running += passed->running;
	}
}

void scope_totals__limit_times(struct scope_totals_table *table)
{
	table->limited = true;
}

void scope_totals__start(struct scope_totals_table *table)
{
	advance(table);
}

/* ---- totals ---- */

static int read_set(struct scope_totals_table *table, int place)
{
	__u32 key = (__u32)place;
	int map_fd = bpf_map__fd(table->programs->skel->maps.totals);
	int err = bpf_map_lookup_elem(map_fd, &key, table->values) ? -errno : 0;

	return reason__set(table->group->why, err, "--scope: the counts cannot be read: %s",
			   strerror(-err));
}

/*
 * For the set that read_set() read last, returns the totals on the CPU @cpu_id. Returns NULL if
 * there is no such CPU.
 */
static const struct scope_totals *totals_on(const struct scope_totals_table *table, int cpu_id)
{
	int place = cpumap__index(table->possible, cpu_id);

	if (place < 0)
		return NULL;
	return (const struct scope_totals *)(table->values +
					     scope_shape__totals_size(table->shape) *
						     (size_t)place);
}

int64_t scope_totals__sum_row(struct scope_totals_table *table, int row, uint64_t *sums)
{
	int64_t runs = 0;
	int err = read_set(table, row * table->shape->nr_sets);

	memset(sums, 0, sizeof(*sums) * table->shape->words.words);
	for (int i = 0; !err && i < table->possible->nr; i++) {
		const struct scope_totals *totals = totals_on(table, table->possible->ids[i]);

		runs += (int64_t)totals->runs;
		for (uint32_t word = 0; word < table->shape->words.words; word++)
			sums[word] += scope_shape__sums(totals)[word];
	}
	return err ?: runs;
}

static struct reading event_sum(const struct scope_totals_table *table,
				const struct scope_totals *totals, int place, int event, int cpu,
				uint64_t open_ns)
{
	const struct scope_event *how = &table->shape->events[event];
	const uint64_t *words = scope_shape__sums(totals) + how->word;
	const struct times *times = times_of(table, table->sums, place, event, cpu);
	struct reading sum = { .enabled = open_ns, .running = open_ns };

	if (table->group->evsels[event]->tool == TOOL_RUN_CNT)
		sum.value = totals->runs;
	if (how->kind == SCOPE_NONE)
		return sum;
	sum.value = words[0];
	if (how->kind == SCOPE_TIMED) {
		sum.enabled = words[1];
		sum.running = words[2];
	} else if (how->kind != SCOPE_WALL) {
		sum.enabled = times->enabled;
		sum.running = times->running;
	}
	scope_shape__subtract(table->shape, how->word, totals->runs, totals->inner, totals->nested,
			      &sum);
	return sum;
}

static void set_runs(struct scope_totals_table *table, int column, int cpu, uint64_t nr,
		     uint64_t open_ns)
{
	struct reading runs = { .value = nr, .enabled = open_ns, .running = open_ns };

	table->all_runs += nr;
	counts__set(table->group->runs->counts, cpu, column, &runs);
}

/*
 * Copies the counts of the set @set of @row to group->counts and group->runs. The caller must have
 * read this set with read_set(). If cgroups are counted separately, each set has a column, with the
 * counts of all events. Otherwise, the row has one column, and the count of each event comes from
 * only one set (scope_event.set).
 */
static void store_set(struct scope_totals_table *table, int row, int set, uint64_t open_ns)
{
	const struct backend_group *group = table->group;
	int parts = subjects__cgroups(group->subjects), place = row * table->shape->nr_sets + set;
	int column = row * parts + (parts > 1 ? set : 0);

	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		const struct scope_totals *totals = totals_on(table, group->cpus->ids[cpu]);

		if (!totals)
			continue;
		advance_set(table, place, cpu, totals->runs);
		if (parts > 1 || !set)
			set_runs(table, column, cpu,
				 parts == 1 && table->shape->nr_cgroups ? totals->added :
									  totals->runs,
				 open_ns);
		for (int event = 0; event < group->nr; event++) {
			struct reading sum = event_sum(table, totals, place, event, cpu, open_ns);

			if (parts > 1 || table->shape->events[event].set == set)
				counts__set_rising(group->counts[event], cpu, column, &sum);
		}
	}
}

static void add_hist(const struct scope_totals_table *table, struct hist_counts *hist)
{
	for (int i = 0; i < table->possible->nr; i++) {
		const struct scope_totals *totals = totals_on(table, table->possible->ids[i]);
		const uint64_t *buckets = scope_shape__buckets(table->shape, totals);

		for (int bucket = 0; bucket < HIST_BUCKETS; bucket++)
			hist->total[bucket] += buckets[bucket];
		if (totals->hist_max > hist->max)
			hist->max = totals->hist_max;
	}
}

static int read_row(struct scope_totals_table *table, int row, struct hist_counts *hist,
		    uint64_t open_ns)
{
	int err = 0;

	for (int set = 0; !err && set < table->shape->nr_sets; set++) {
		err = read_set(table, row * table->shape->nr_sets + set);
		if (!err)
			store_set(table, row, set, open_ns);
		if (!err && !set && hist)
			add_hist(table, hist);
	}
	return err;
}

int scope_totals__read(struct scope_totals_table *table, uint64_t open_ns)
{
	struct hist_rows *hist = table->group->runs->hist;
	static const struct hist_rows none;
	int err = 0;

	if (table->shape->hist_word < 0)
		hist = NULL;
	advance(table);
	if (table->limited)
		limit_passed(table, open_ns);
	if (hist) {
		err = hist_rows__widen(hist, table->shape->nr_rows);
		if (!err)
			hist_rows__begin(hist, &none);
	}
	table->all_runs = 0;
	for (int row = 0; !err && row < table->shape->nr_rows; row++)
		err = read_row(table, row, hist ? &hist->rows[row] : NULL, open_ns);
	return err;
}

int scope_totals__read_hist(struct scope_totals_table *table, int row, struct hist_counts *hist)
{
	int err = read_set(table, row * table->shape->nr_sets);

	memset(hist, 0, sizeof(*hist));
	if (!err)
		add_hist(table, hist);
	return err;
}

uint64_t scope_totals__runs(const struct scope_totals_table *table)
{
	return table->all_runs;
}

int scope_totals__lost(const struct scope_totals_table *table, const struct scope_links *links,
		       uint64_t lost[SCOPE_NR_LOST])
{
	size_t nr = (size_t)table->possible->nr;
	uint64_t *values = calloc(nr * SCOPE_NR_LOST, sizeof(*values));
	__u32 key = 0;
	int err = values ? 0 : -ENOMEM;

	memset(lost, 0, sizeof(*lost) * SCOPE_NR_LOST);
	if (!err &&
	    bpf_map_lookup_elem(bpf_map__fd(table->programs->skel->maps.lost), &key, values))
		err = -errno;
	for (size_t i = 0; !err && i < nr * SCOPE_NR_LOST; i++)
		lost[i % SCOPE_NR_LOST] += values[i];
	lost[SCOPE_LOST_MISSED] += scope_faults__count_misses(table->programs, links);
	free(values);
	return err;
}
