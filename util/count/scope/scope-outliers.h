/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports individual runs whose count or time is above a threshold (--outliers). A BPF program
 * writes a record of each of these runs to a buffer, and pstat passes the run to the sink of the
 * group (struct session_sink). Without --outliers, @o is NULL, and the functions with this
 * parameter do nothing.
 */
#ifndef PSTAT_COUNT_SCOPE_OUTLIERS_H
#define PSTAT_COUNT_SCOPE_OUTLIERS_H

struct backend_group;
struct scope_list;
struct scope_outliers;
struct scope_programs;
struct scope_shape;
struct scope_totals_table;

/*
 * Sets the sizes of the maps that --outliers uses, and the constants that the BPF programs need for
 * --outliers. Call this after opening programs->skel, and before loading it. Returns 0 or -errno.
 */
int scope_outliers__set_sizes(const struct scope_programs *programs,
			      const struct scope_shape *shape);

/*
 * Opens the buffer in which the records of runs arrive. Without --outliers, only sets *@out to
 * NULL. The arguments must outlive *@out. Returns 0, or -errno with the reason in group->why.
 */
int scope_outliers__new(const struct backend_group *group, const struct scope_shape *shape,
			const struct scope_programs *programs, struct scope_totals_table *totals,
			const struct scope_list *list, struct scope_outliers **out);
void scope_outliers__free(struct scope_outliers *o);

/*
 * If the user gave the threshold as a number, sets it for all rows of the report. Before this call,
 * no run is reported. If the user gave a percentile, does nothing: scope_outliers__adapt() sets the
 * thresholds. Returns 0, or -errno with the reason in group->why.
 */
int scope_outliers__set_thresholds(struct scope_outliers *o);
/*
 * If branches are recorded, starts to record them on the CPU with the id @cpu, which has come
 * online. Returns 0 or -ENOMEM.
 */
int scope_outliers__add_cpu(struct scope_outliers *o, int cpu);
/*
 * If the threshold is a percentile, computes this percentile for each row of the report from the
 * row's runs so far, and makes it the threshold of the row. Skips rows that do not have enough runs
 * yet. Call this function periodically. If there are many rows, each call handles only some of
 * them. Returns 0 or -errno.
 */
int scope_outliers__adapt(struct scope_outliers *o);

/* Returns an fd that is readable when records have arrived, or -1 without --outliers. */
int scope_outliers__wake_fd(const struct scope_outliers *o);
/* Passes to the sink the runs whose records have arrived. Returns 0 or -errno. */
int scope_outliers__drain(struct scope_outliers *o);
/*
 * Call this after counting has been stopped. Passes the remaining runs to the sink, and updates the
 * numbers in group->runs->outliers. Returns 0 or -errno.
 */
int scope_outliers__finish(struct scope_outliers *o);

#endif
