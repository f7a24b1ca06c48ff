/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distribution of runs by cost (--hist): for each bucket, the number of runs whose count of one
 * event is in it, as running totals and since the last mark.
 */
#ifndef PSTAT_COUNT_HIST_COUNTS_H
#define PSTAT_COUNT_HIST_COUNTS_H

#include <stdint.h>

#include <linux/types.h>

#include "bpf_skel/prog_profiler.h"

#define HIST_BUCKETS PROG_HIST_BUCKETS

struct evsel;

struct hist_counts {
	uint64_t max; /* the largest count of all runs */
	uint64_t total[HIST_BUCKETS];
	uint64_t mark[HIST_BUCKETS];
};

/* One row for each program with --per-prog, otherwise one row. */
struct hist_rows {
	const struct evsel *evsel; /* the event; values in buckets are unscaled */
	int nr;
	struct hist_counts *rows;
};

/* Makes sure that there are at least @nr rows. New rows are empty. Returns 0 or -ENOMEM. */
int hist_rows__widen(struct hist_rows *hist, int nr);
/*
 * Resets the totals to those of @kept, which has at most as many rows, before they are summed up
 * again.
 */
void hist_rows__begin(struct hist_rows *hist, const struct hist_rows *kept);
void hist_rows__mark(struct hist_rows *hist);
/* Removes all rows and keeps the evsel. */
void hist_rows__reset(struct hist_rows *hist);

/*
 * Returns the bucket that contains a percentile: the share @share (0 to 1) of all runs is in it or
 * below it. If @share is 0, returns the first bucket with a run. @buckets has HIST_BUCKETS numbers
 * of runs. Returns -1 if there are no runs, or fewer than @least.
 */
int hist__bucket_at(const uint64_t *buckets, double share, uint64_t least);

/* The least and the largest count of @bucket. */
uint64_t hist__low(int bucket);
uint64_t hist__high(int bucket);

#endif
