/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures from user space how long the events of -b were enabled and how long they had a counter,
 * because for most events, the BPF programs read the count but not the times. A row (@row) is the
 * part of the report for one counted program, or for all of them together. Each row has separate
 * times for each event and CPU. A reading advances the times of a row on a CPU only if the row has
 * had runs on that CPU since the previous reading.
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

/* Returns NULL if memory ran out. The arguments must outlive the result. */
struct prog_times *prog_times__new(const struct backend_group *group,
				   const struct prog_shape *shape, const struct prog_fds *fds);
void prog_times__free(struct prog_times *times);

/* Makes room for @nr_rows rows. The times of new rows are zero. Returns 0 or -ENOMEM. */
int prog_times__widen(struct prog_times *times, int nr_rows);

/*
 * With --start or --stop, call this at each reading, before prog_times__advance(). @open_ns is how
 * long the gate has been open since the previous reading. Until the next call to this function,
 * each call to prog_times__advance() increases the times by at most @open_ns.
 */
void prog_times__limit(struct prog_times *times, uint64_t open_ns);

/* Excludes the time since the previous reading. Call this just before counting is enabled. */
void prog_times__start(struct prog_times *times);

/*
 * For the CPU with the index @cpu: measures for how long each event has been enabled, and for how
 * long it has had a counter, since the previous call for this CPU. Adds these times to each row for
 * which @had_runs[row] is true. If @had_runs is NULL, discards these times.
 */
void prog_times__advance(struct prog_times *times, int cpu, const bool *had_runs);

/*
 * Sets the enabled and running times of @reading to the times of @event in @row on the CPU with the
 * index @cpu.
 */
void prog_times__fill(const struct prog_times *times, int row, int event, int cpu,
		      struct reading *reading);

#endif
