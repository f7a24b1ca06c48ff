/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the sums that the BPF programs write to the map `totals`, and computes the counts from
 * these sums.
 */
#ifndef PSTAT_COUNT_SCOPE_TOTALS_H
#define PSTAT_COUNT_SCOPE_TOTALS_H

#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct backend_group;
struct cpumap;
struct event_fds;
struct hist_counts;
struct scope_links;
struct scope_programs;
struct scope_shape;
struct scope_totals_table;

/*
 * Makes a table for the totals of all rows of the report. The arguments must outlive the table.
 * Returns NULL if there is not enough memory.
 */
struct scope_totals_table *scope_totals__new(const struct backend_group *group,
					     const struct scope_shape *shape,
					     const struct scope_programs *programs,
					     const struct event_fds *fds,
					     const struct cpumap *possible);
void scope_totals__free(struct scope_totals_table *table);

/*
 * Makes scope_totals__read() limit the enabled and running times of events (struct reading) to the
 * time for which the gate (gate.h) was open.
 */
void scope_totals__limit_times(struct scope_totals_table *table);
/*
 * Excludes the time since the last reading from the enabled and running times of the events (struct
 * reading). Call this each time counting is about to be enabled.
 */
void scope_totals__start(struct scope_totals_table *table);
/*
 * Reads all totals, and stores them in group->counts and group->runs. @open_ns is the total time in
 * ns for which counting has been enabled or, with --start or --stop, for which the gate has been
 * open. Returns 0, or -errno with the reason in group->why.
 */
int scope_totals__read(struct scope_totals_table *table, uint64_t open_ns);

/*
 * For the first set of sums (scope_shape.nr_sets) of @row, adds up each word (struct scope_words)
 * over all CPUs, and stores the results in @sums. Returns the number of runs in this set, or -errno
 * with the reason in group->why.
 */
int64_t scope_totals__sum_row(struct scope_totals_table *table, int row, uint64_t *sums);
/*
 * For each cause (enum scope_lost), sets @lost[cause] to the number of runs that have been lost
 * since the programs were loaded, on all CPUs together. Returns 0 or -errno.
 */
int scope_totals__lost(const struct scope_totals_table *table, const struct scope_links *links,
		       uint64_t lost[SCOPE_NR_LOST]);
/* Returns the number of runs in all rows at the last scope_totals__read(). */
uint64_t scope_totals__runs(const struct scope_totals_table *table);
/* Reads the histogram of @row into @hist. Returns 0, or -errno with the reason in group->why. */
int scope_totals__read_hist(struct scope_totals_table *table, int row, struct hist_counts *hist);

#endif
