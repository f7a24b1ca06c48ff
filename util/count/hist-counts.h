/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The histogram of --hist, which sorts the runs (executions) of a BPF program or scope by their
 * counts of one event. Each bucket covers a range of counts, and contains the number of runs whose
 * count is in this range.
 */
#ifndef PSTAT_COUNT_HIST_COUNTS_H
#define PSTAT_COUNT_HIST_COUNTS_H

#include <stdint.h>

#include <linux/types.h>

#include "bpf_skel/prog_profiler.h"

#define HIST_BUCKETS PROG_HIST_BUCKETS

struct evsel;

struct hist_counts {
	uint64_t max; /* the largest count in a single run */
	uint64_t total[HIST_BUCKETS];
	uint64_t mark[HIST_BUCKETS]; /* `total` at the last hist_rows__mark() */
};

/*
 * The histograms: a row for each subject (subjects.h), or a single row if there are no subjects.
 */
struct hist_rows {
	/* the event that was counted; its unscaled counts are sorted into buckets */
	const struct evsel *evsel;
	int nr;
	struct hist_counts *rows;
};

/* Adds empty rows until there are at least @nr rows. Returns 0 or -ENOMEM. */
int hist_rows__widen(struct hist_rows *hist, int nr);
/*
 * Begins a reading: sets the totals and the maximum of each row of @hist to those of the row of
 * @kept with the same index, or to zero if there is no such row. @kept contains the runs of BPF
 * programs that no longer exist. The caller then adds the values that it reads.
 */
void hist_rows__begin(struct hist_rows *hist, const struct hist_rows *kept);
/* Called at the end of each interval: copies the totals to the marks. */
void hist_rows__mark(struct hist_rows *hist);
/* Removes all rows. Does not change hist->evsel. */
void hist_rows__reset(struct hist_rows *hist);

/*
 * Returns the index of the bucket that contains the quantile @share (0 to 1): the lowest bucket
 * that, together with all lower buckets, contains at least the fraction @share of all runs. If
 * @share is 0, returns the first bucket with a run. @buckets has HIST_BUCKETS entries. Returns -1
 * if there are no runs, or fewer than @least runs.
 */
int hist__bucket_at(const uint64_t *buckets, double share, uint64_t least);

/*
 * hist__low() returns the smallest count that belongs in @bucket, and hist__high() returns the
 * largest such count.
 */
uint64_t hist__low(int bucket);
uint64_t hist__high(int bucket);

#endif
