/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How runs are distributed by what they cost (--hist): the numbers of runs whose count of one event lies in each bucket, as running
 * totals, and since the last mark.
 */
#ifndef PSTAT_COUNT_HIST_COUNTS_H
#define PSTAT_COUNT_HIST_COUNTS_H

#include <stdint.h>

#include <linux/types.h>

#include "bpf_skel/prog_profiler.h"

#define HIST_BUCKETS PROG_HIST_BUCKETS

struct evsel;

struct hist_counts {
	uint64_t max; /* the largest count of a run, of all */
	uint64_t total[HIST_BUCKETS];
	uint64_t mark[HIST_BUCKETS];
};

/* One for each program that is told apart. */
struct hist_rows {
	const struct evsel *evsel; /* what the buckets are of, before its scale */
	int nr;
	struct hist_counts *rows;
};

/* Makes it @nr rows at least: new ones are empty. 0 or -ENOMEM. */
int hist_rows__widen(struct hist_rows *hist, int nr);
/* The totals are about to be added up anew, beginning with those of @kept, which has no more rows. */
void hist_rows__begin(struct hist_rows *hist, const struct hist_rows *kept);
void hist_rows__mark(struct hist_rows *hist);
/* Empties it, but for the evsel. */
void hist_rows__reset(struct hist_rows *hist);

/*
 * Of @buckets (HIST_BUCKETS numbers of runs) the one in which the percentile lies: as many of the runs as @share, 0 to 1, are in it or
 * below; at share 0 the first that has any. -1 when there are fewer than @least runs, or none.
 */
int hist__bucket_at(const uint64_t *buckets, double share, uint64_t least);

/* The counts that @bucket is for, both included. */
uint64_t hist__low(int bucket);
uint64_t hist__high(int bucket);

#endif
