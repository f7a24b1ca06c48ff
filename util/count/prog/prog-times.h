/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the events of -b were enabled and had a counter, asked from user space: what is read in a run is the count alone. The times
 * of a row (all programs, or one of them) advance on a CPU only over those reads between which the row had runs there.
 */
#ifndef PSTAT_COUNT_PROG_TIMES_H
#define PSTAT_COUNT_PROG_TIMES_H

#include <stdbool.h>
#include <stdint.h>

struct backend_group;
struct prog_fds;
struct prog_shape;
struct prog_times;
struct reading;

/* NULL without memory. All three are to outlive it. */
struct prog_times *prog_times__new(const struct backend_group *group, const struct prog_shape *shape,
				   const struct prog_fds *fds);
void prog_times__free(struct prog_times *times);

/* Makes room for @nr_rows rows; new ones begin at zero. 0 or -ENOMEM. */
int prog_times__widen(struct prog_times *times, int nr_rows);

/* What has passed so far does not count: to be called when the count goes on. */
void prog_times__start(struct prog_times *times);

/* What has passed since the last call, or the start, counts on CPU @cpu (an index) for each row with @had_runs[row]. NULL: for none. */
void prog_times__advance(struct prog_times *times, int cpu, const bool *had_runs);

/* Sets the times of @reading for @event of the group in @row. */
void prog_times__fill(const struct prog_times *times, int row, int event, int cpu, struct reading *reading);

#endif
