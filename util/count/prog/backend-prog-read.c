// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds up the counts of all targets (counted BPF programs), and keeps the counts of unloaded
 * programs.
 */
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/prog/backend-prog-group.h"
#include "util/count/prog/prog-gate.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-times.h"
#include "util/count/prog/prog-totals.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

uint64_t prog_group__open_time(const struct prog_group *priv)
{
	if (priv->points)
		return gate__time(prog_gate__gate(priv->points));
	return priv->enabled_ns + (priv->gate ? clock__now() - priv->enabled_at : 0);
}

static struct prog_sums sums__new(const struct backend_group *group)
{
	return (struct prog_sums){ .nr_cpus = group->cpus->nr,
				   .nr_events = group->nr * subjects__cgroups(group->subjects) };
}

/*
 * Returns the number of rows. If programs are counted separately, each program has a row;
 * otherwise, all programs share one row. A row has a column for each cgroup that is counted
 * separately.
 */
static int nr_rows(const struct backend_group *group)
{
	return group->subjects ? group->subjects->nr / subjects__cgroups(group->subjects) : 1;
}

static int nr_columns(const struct backend_group *group)
{
	return group->subjects ? group->subjects->nr : 1;
}

struct subjects *prog_group__progs(const struct backend_group *group)
{
	return group->subjects && group->subjects->kind == &subject_prog ? group->subjects : NULL;
}

int prog_group__take(const struct prog_group *priv, const struct prog_target *target)
{
	return target->stats ? 0 : prog_snapshot__take(priv->snapshot, target);
}

/*
 * Adds the kernel's statistics of @entry's program to @entry's row of @sums. These statistics do
 * not distinguish CPUs, so this function adds them to the counts of the first CPU.
 */
static void add_stats(const struct backend_group *group, const struct prog_entry *entry,
		      struct prog_sums *sums)
{
	struct prog_stats_sum sum = prog_stats__read(entry->target.stats, entry->target.prog);
	struct reading *readings = prog_sums__readings(sums, entry->row, 0);

	*prog_sums__runs(sums, entry->row, 0) += sum.runs;
	for (int event = 0; event < group->nr; event++)
		if (prog_stats__have(group->evsels[event]))
			readings[event].value +=
				group->evsels[event]->tool == TOOL_RUN_CNT ? sum.runs : sum.ns;
}

/*
 * Adds the counts of @entry to the entry's row of @sums and, with --hist, its histogram to the same
 * row of @hist.
 */
static int add_entry(const struct backend_group *group, const struct prog_entry *entry,
		     struct prog_sums *sums, struct hist_rows *hist)
{
	struct prog_group *priv = group->priv;
	int err = prog_group__take(priv, &entry->target);

	if (entry->target.stats) {
		add_stats(group, entry, sums);
		return 0;
	}
	if (!err)
		priv->faults.torn += (uint64_t)prog_snapshot__torn(priv->snapshot);
	if (!err)
		prog_snapshot__add_to(priv->snapshot, group, entry->row, sums);
	if (!err && group->runs->hist && priv->shape.hist_word >= 0)
		prog_snapshot__add_hist(priv->snapshot, group, &hist->rows[entry->row]);
	return err;
}

static int sum_up(const struct backend_group *group, struct prog_sums *sums)
{
	const struct prog_group *priv = group->priv;
	int err = prog_sums__widen(sums, nr_rows(group));

	if (!err)
		prog_sums__add(sums, &priv->kept);
	if (!err && group->runs->hist)
		hist_rows__begin(group->runs->hist, &priv->kept_hist);
	for (int i = 0; !err && i < priv->list.nr; i++)
		err = add_entry(group, &priv->list.entries[i], sums, group->runs->hist);
	return err;
}

/* Makes room for new rows in the data that is kept from one reading to the next. */
static int widen_rows(const struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	size_t had = (size_t)priv->nr_rows, nr_cpus = (size_t)group->cpus->nr,
	       nr = (size_t)nr_rows(group);
	uint64_t *runs;

	if (nr_rows(group) <= priv->nr_rows)
		return 0;
	runs = realloc(priv->runs, sizeof(*runs) * nr * nr_cpus + 1);
	if (!runs)
		return -ENOMEM;
	memset(runs + had * nr_cpus, 0, sizeof(*runs) * (nr - had) * nr_cpus);
	priv->runs = runs;
	priv->nr_rows = nr_rows(group);
	return prog_times__widen(priv->times, priv->nr_rows);
}

/*
 * If counting is enabled, advances the enabled and running times of each row, but only on CPUs on
 * which the row has had runs since the previous reading.
 */
static int advance_times(const struct backend_group *group, const struct prog_sums *sums)
{
	struct prog_group *priv = group->priv;
	bool *had_runs = calloc((size_t)nr_rows(group) + 1, sizeof(*had_runs));
	bool is_open = priv->gate || priv->points;
	int err = had_runs ? widen_rows(group) : -ENOMEM;
	uint64_t open_ns = prog_group__open_time(priv);

	if (priv->points)
		prog_times__limit(priv->times, open_ns - priv->open_before);
	priv->open_before = open_ns;

	for (int cpu = 0; !err && is_open && cpu < group->cpus->nr; cpu++) {
		for (int row = 0; row < nr_rows(group); row++) {
			uint64_t *before = &priv->runs[row * group->cpus->nr + cpu];
			uint64_t runs = *prog_sums__runs(sums, row, cpu);

			had_runs[row] = runs != *before;
			*before = runs;
		}
		prog_times__advance(priv->times, cpu, had_runs);
	}
	free(had_runs);
	return err;
}

/* Stores the counts of one row on one CPU, for the cgroup with the index @part. */
static void set_column(struct backend_group *group, const struct prog_sums *sums, int row, int part,
		       int cpu)
{
	const struct prog_group *priv = group->priv;
	const struct reading *readings = prog_sums__readings(sums, row, cpu) + part * group->nr;
	const uint64_t *costs = prog_sums__costs(sums, row, cpu) + part * group->nr;
	uint64_t open_ns = prog_group__open_time(priv);
	struct reading runs = { .value = *prog_sums__runs(sums, row, cpu),
				.enabled = open_ns,
				.running = open_ns };
	int column = row * subjects__cgroups(group->subjects) + part;

	counts__set(group->runs->counts, cpu, column, &runs);
	for (int event = 0; event < group->nr; event++) {
		enum prog_kind kind = priv->shape.events[event].kind;
		struct reading sum = readings[event];

		if (kind == PROG_CLOCK || kind == PROG_PLAIN)
			prog_times__fill(priv->times, row, event, cpu, &sum);
		if (kind != PROG_NONE)
			prog_sums__subtract(&sum, costs[event]);
		if (group->evsels[event]->tool == TOOL_RUN_CNT)
			sum.enabled = sum.running = open_ns;
		counts__set_rising(group->counts[event], cpu, column, &sum);
	}
}

static int widen_counts(struct backend_group *group)
{
	int err = counts__widen(group->runs->counts, nr_columns(group));

	if (!err && group->runs->hist)
		err = hist_rows__widen(group->runs->hist, nr_rows(group));

	for (int event = 0; !err && event < group->nr; event++)
		err = counts__widen(group->counts[event], nr_columns(group));
	return err;
}

static int assign_rows(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (prog_list__is_waiting(&priv->list, prog_group__progs(group)))
		prog_list__note_gone(&priv->list, priv->refs);
	return prog_list__assign_rows(&priv->list, prog_group__progs(group), false);
}

int prog_group__read(struct backend_group *group)
{
	struct prog_sums sums = sums__new(group);
	int err = assign_rows(group);

	err = err ?: widen_counts(group);
	err = err ?: sum_up(group, &sums);
	err = err ?: advance_times(group, &sums);
	for (int row = 0; !err && row < nr_rows(group); row++)
		for (int cpu = 0; cpu < group->cpus->nr; cpu++)
			for (int part = 0; part < subjects__cgroups(group->subjects); part++)
				set_column(group, &sums, row, part, cpu);
	prog_sums__free(&sums);
	return err;
}

/* ---- lost runs ---- */

/*
 * Adds the faults (struct prog_faults) of @entry. prog_group__take() must have read the totals of
 * @entry. Returns false if pstat saw no run of the program, and no run was missed.
 */
static bool add_faults_of(const struct prog_group *priv, const struct prog_entry *entry,
			  struct prog_faults *faults)
{
	return entry->target.stats ?
		       prog_faults__add_stats(faults, &entry->target) :
		       prog_faults__add(faults, &entry->target, priv->snapshot, priv->possible);
}

/* Adds the faults of @entry. Warns if add_faults_of() returns false. */
static void add_faults(const struct prog_group *priv, const struct prog_entry *entry,
		       struct prog_faults *faults)
{
	bool seen = add_faults_of(priv, entry, faults);

	/* with --start or --stop, all runs may have been outside the counted periods */
	if (!seen && !priv->points)
		prog_faults__report_unseen(faults, &entry->target, entry->by_pattern);
}

int prog_group__read_lost(struct backend_group *group)
{
	const struct prog_group *priv = group->priv;
	struct prog_faults faults = priv->faults;
	int err = 0;

	prog_shared__add_lost(&priv->shape, priv->possible, faults.lost);
	for (int i = 0; !err && i < priv->list.nr; i++) {
		err = prog_group__take(priv, &priv->list.entries[i].target);
		if (!err)
			add_faults_of(priv, &priv->list.entries[i], &faults);
	}
	if (!err)
		group->measurement->lost_runs = prog_faults__nr(&faults);
	return err;
}

void prog_group__report_faults(const struct backend_group *group)
{
	const struct prog_group *priv = group->priv;
	struct prog_faults faults = priv->faults;
	int i = 0;

	prog_shared__add_lost(&priv->shape, priv->possible, faults.lost);
	for (; i < priv->list.nr && !prog_group__take(priv, &priv->list.entries[i].target); i++)
		add_faults(priv, &priv->list.entries[i], &faults);
	if (i == priv->list.nr)
		group->measurement->lost_runs = prog_faults__report(
			&faults, priv->shape.filter != PROG_FILTER_NONE || priv->shape.nr_cgroups);
	prog_faults__forget_arrays(&faults);
}

/* ---- programs that are unloaded (--follow) ---- */

/*
 * Adds the counts, the histogram and the faults of the entry with the index @place to those that
 * group->priv keeps for retired programs, and drops the entry.
 */
static int retire(struct backend_group *group, int place)
{
	struct prog_group *priv = group->priv;
	const struct prog_entry *entry = &priv->list.entries[place];
	int err;

	if (!priv->kept.nr_rows)
		priv->kept = sums__new(group);
	err = prog_sums__widen(&priv->kept, nr_rows(group));
	if (!err && group->runs->hist)
		err = hist_rows__widen(&priv->kept_hist, nr_rows(group));
	err = err ?: add_entry(group, entry, &priv->kept, &priv->kept_hist);
	if (err)
		return err;
	add_faults(priv, entry, &priv->faults);
	prog_faults__forget_arrays(&priv->faults);
	prog_list__drop(&priv->list, place);
	return 0;
}

/*
 * Retires a program only if prog_entry.gone was already set before this call, because the last runs
 * may still be in progress when `gone` is first set.
 */
int prog_group__retire_the_gone(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int err;

	for (int i = 0; i < priv->list.nr; i++)
		priv->list.entries[i].was_gone = priv->list.entries[i].gone;
	prog_list__note_gone(&priv->list, priv->refs);
	err = prog_list__assign_rows(&priv->list, prog_group__progs(group), true);
	for (int i = priv->list.nr - 1; !err && i >= 0; i--)
		if (priv->list.entries[i].gone && priv->list.entries[i].was_gone)
			err = retire(group, i);
	return err;
}
