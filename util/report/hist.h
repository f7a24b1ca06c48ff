/* SPDX-License-Identifier: GPL-2.0-only */
/* A distribution as it will be shown: buckets and percentiles, in the event's unit. Pure: the same counts give the same. */
#ifndef PSTAT_REPORT_HIST_H
#define PSTAT_REPORT_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"

struct evsel;
struct hist_counts;

struct hist_bucket {
	double low, high; /* both included */
	uint64_t runs;
};

/* Zeroed is empty: no run, or no distribution was asked for. */
struct stat_hist {
	const char *prog; /* the program that it is of, NULL for all; not owned */
	uint32_t prog_id;
	const char *event; /* not owned */
	const char *unit;  /* the same; "" without */
	bool fraction;	   /* what is shown is no whole number */
	uint64_t runs;
	double p50, p90, p99, p999, max;
	int nr;
	struct hist_bucket *buckets; /* those from the first to the last that is not empty */
};

/* Runs in each bucket, over several counts. */
struct hist_sums;

/* NULL without memory. */
struct hist_sums *hist_sums__new(void);
void hist_sums__free(struct hist_sums *sums);
void hist_sums__reset(struct hist_sums *sums);
/* Adds all of @counts. */
void hist_sums__add(struct hist_sums *sums, const struct hist_counts *counts);
/* Instead of what there is, what @counts have since the mark. */
void hist_sums__set_delta(struct hist_sums *sums, const struct hist_counts *counts);

/*
 * The smallest count that @share of all runs (0 to 1) do not exceed, to within a bucket: its upper end, or the largest count of a run if
 * that is less. 0 without runs.
 */
uint64_t hist_sums__percentile(const struct hist_sums *sums, double share);

/* Fills @hist with what @sums hold of the event @evsel. 0 or -ENOMEM. */
int stat_hist__fill(struct stat_hist *hist, const struct hist_sums *sums, const struct evsel *evsel);
/* Empties it. */
void stat_hist__free(struct stat_hist *hist);

#define HIST_DECIMALS 6 /* of a distribution of fractions */

/* A bucket for programs; tables of distributions have lines of their own (util/output/runs.c). */
struct hist_row {
	const struct stat_hist *hist;
	const char *prog, *event, *unit;
	uint32_t prog_id;
	struct hist_bucket bucket;
};

/* The bucket @nr of @hist. */
struct hist_row hist_row__of(const struct stat_hist *hist, int nr);
const struct column *hist_row__columns(const struct hist_row *row);

#endif
