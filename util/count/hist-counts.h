/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The histogram of --hist: for each bucket, the number of runs whose count of one event is in the
 * bucket. There are running totals and values since the last mark.
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

/* With --per-prog, there is a row for each program; otherwise there is one row. */
struct hist_rows {
	/* the event whose counts are sorted into buckets; they are not scaled */
	const struct evsel *evsel;
	int nr;
	struct hist_counts *rows;
};

/* Extends the table to at least @nr rows. New rows are empty. Returns 0 or -ENOMEM. */
int hist_rows__widen(struct hist_rows *hist, int nr);
/*
 * Sets the totals to those of @kept. The caller then adds the current values. @kept has at most as
 * many rows.
 */
void hist_rows__begin(struct hist_rows *hist, const struct hist_rows *kept);
void hist_rows__mark(struct hist_rows *hist);
/* Removes all rows and keeps the evsel. */
void hist_rows__reset(struct hist_rows *hist);

/*
 * Returns the bucket that contains a percentile: the lowest bucket such that the share @share (0 to
 * 1) of all runs is in it or in a bucket below it. If @share is 0, returns the first bucket with a
 * run. @buckets has HIST_BUCKETS numbers of runs. Returns -1 if there are no runs, or fewer than
 * @least.
 */
int hist__bucket_at(const uint64_t *buckets, double share, uint64_t least);

/* The least and the largest count of @bucket. */
uint64_t hist__low(int bucket);
uint64_t hist__high(int bucket);

#endif
