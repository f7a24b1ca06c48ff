/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Individual runs above a threshold (--outliers), as they arrive. Without --outliers, @o is NULL.
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
 * Sets the sizes of the maps. Call this after the programs were opened and before they are loaded.
 * Returns 0 or -errno.
 */
int scope_outliers__set_sizes(const struct scope_programs *programs,
			      const struct scope_shape *shape);

/*
 * Opens the buffer for runs. The arguments must outlive *@out. If no runs are reported, stores NULL
 * in *@out. Returns 0, or -errno with the reason in group->why.
 */
int scope_outliers__new(const struct backend_group *group, const struct scope_shape *shape,
			const struct scope_programs *programs, struct scope_totals_table *totals,
			const struct scope_list *list, struct scope_outliers **out);
void scope_outliers__free(struct scope_outliers *o);

/* Sets the threshold that the user gave. Before this call, no run is reported. */
int scope_outliers__set_thresholds(struct scope_outliers *o);
/* From now on, also records the branches on a CPU that came online. Returns 0 or -ENOMEM. */
int scope_outliers__add_cpu(struct scope_outliers *o, int cpu);
/* Sets each threshold to the percentile of the runs so far. Call this periodically. */
int scope_outliers__adapt(struct scope_outliers *o);

/* Returns an fd that is readable when runs have arrived; -1 without --outliers. */
int scope_outliers__wake_fd(const struct scope_outliers *o);
/* Passes the runs that have arrived to the sink of the group. */
int scope_outliers__drain(struct scope_outliers *o);
/*
 * Passes on the last runs, and stores the sums in the group's runs. Call this after closing the
 * gate.
 */
int scope_outliers__finish(struct scope_outliers *o);

#endif
