/* SPDX-License-Identifier: GPL-2.0-only */
/* The totals of a target, as its map holds them on every possible CPU. */
#ifndef PSTAT_COUNT_PROG_TOTALS_H
#define PSTAT_COUNT_PROG_TOTALS_H

struct backend_group;
struct cpumap;
struct hist_counts;
struct prog_shape;
struct prog_snapshot;
struct prog_sums;
struct prog_target;
struct prog_totals;

/* NULL without memory. Both are to outlive it. */
struct prog_snapshot *prog_snapshot__new(const struct prog_shape *shape, const struct cpumap *possible);
void prog_snapshot__free(struct prog_snapshot *snapshot);

/*
 * Those of @target as they are now. Of each CPU at one moment, unless it stood in the middle of an addition for as long as was tried:
 * its totals then have a part of that run.
 */
int prog_snapshot__take(struct prog_snapshot *snapshot, const struct prog_target *target);
/* Of how many CPUs the totals taken last are not of one moment. */
int prog_snapshot__torn(const struct prog_snapshot *snapshot);

/* NULL when @cpu_id is no possible CPU. */
const struct prog_totals *prog_snapshot__of_cpu(const struct prog_snapshot *snapshot, int cpu_id);

/* Adds the counts of @group's events, and what of them is the counting's own, to @row of @sums, which has all of its events. */
void prog_snapshot__add_to(const struct prog_snapshot *snapshot, const struct backend_group *group, int row,
			   struct prog_sums *sums);

/* Adds how the runs were distributed, where the shape has a histogram. */
void prog_snapshot__add_hist(const struct prog_snapshot *snapshot, const struct backend_group *group,
			     struct hist_counts *hist);

#endif
