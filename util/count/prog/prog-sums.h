/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of -b, added up separately for each row and each CPU. A row is the part of the report
 * for one program, or for all programs together.
 */
#ifndef PSTAT_COUNT_PROG_SUMS_H
#define PSTAT_COUNT_PROG_SUMS_H

#include <stdint.h>

struct reading;

/*
 * If cgroups are counted separately, a row contains all events for the first cgroup, then all
 * events for the second cgroup, and so on. At the first call to prog_sums__widen(), nr_cpus and
 * nr_events must be set, and all other members must be zero.
 */
struct prog_sums {
	int nr_rows;
	int nr_cpus;
	int nr_events;		  /* events in a row: those of the group, once for each cgroup */
	uint64_t *runs;		  /* [row][CPU index] */
	struct reading *readings; /* [row][CPU index][event] */
	/* [row][CPU index][event]: how much of the count is the cost of counting */
	uint64_t *costs;
};

/* Makes room for @nr_rows rows. The counts of new rows are zero. Returns 0 or -ENOMEM. */
int prog_sums__widen(struct prog_sums *sums, int nr_rows);
/*
 * Adds @other to @sums. @sums must have at least as many rows as @other, and the same CPUs and
 * events.
 */
void prog_sums__add(struct prog_sums *sums, const struct prog_sums *other);
void prog_sums__free(struct prog_sums *sums);

uint64_t *prog_sums__runs(const struct prog_sums *sums, int row, int cpu);
/* Returns the readings of @row on the CPU with the index @cpu: nr_events elements. */
struct reading *prog_sums__readings(const struct prog_sums *sums, int row, int cpu);

/* Returns the costs of counting in @row on the CPU with the index @cpu: nr_events elements. */
uint64_t *prog_sums__costs(const struct prog_sums *sums, int row, int cpu);

/*
 * Subtracts the cost of counting from @sum. If the event had a counter for only a fraction of the
 * time, subtracts only this fraction of the cost.
 */
void prog_sums__subtract(struct reading *sum, uint64_t cost);

#endif
