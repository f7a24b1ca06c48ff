/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot contains the totals of a target (a counted BPF program) on each possible CPU, as read
 * from the target's map `totals`.
 */
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

/* Returns NULL if memory ran out. The arguments must outlive the result. */
struct prog_snapshot *prog_snapshot__new(const struct prog_shape *shape,
					 const struct cpumap *possible);
void prog_snapshot__free(struct prog_snapshot *snapshot);

/*
 * Reads the totals of @target. Reads them again for each CPU that was adding a run during the
 * reading. If a CPU was adding a run at every attempt, its totals contain an incomplete run.
 * Returns 0, or -errno with the reason in the `why` of the shape.
 */
int prog_snapshot__take(struct prog_snapshot *snapshot, const struct prog_target *target);
/* Returns the number of CPUs whose totals contain an incomplete run. */
int prog_snapshot__torn(const struct prog_snapshot *snapshot);

/* Returns the totals of a CPU, or NULL if @cpu_id is not a possible CPU. */
const struct prog_totals *prog_snapshot__of_cpu(const struct prog_snapshot *snapshot, int cpu_id);

/*
 * Adds the number of runs, and the counts of the events of @group, to @row of @sums. Also adds the
 * cost of counting, which these counts include, to the costs of the row. @sums must have this row.
 */
void prog_snapshot__add_to(const struct prog_snapshot *snapshot, const struct backend_group *group,
			   int row, struct prog_sums *sums);

/* Adds the histogram of the runs to @hist. The shape must have a histogram (hist_word). */
void prog_snapshot__add_hist(const struct prog_snapshot *snapshot,
			     const struct backend_group *group, struct hist_counts *hist);

#endif
