/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The distributions of --hist, as they are printed: buckets and percentiles of the counts that an
 * event had in single runs of a BPF program or scope. Percentiles and the bounds of buckets are in
 * the unit of the event.
 */
#ifndef PSTAT_REPORT_HIST_H
#define PSTAT_REPORT_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"

struct evsel;
struct hist_counts;

struct hist_bucket {
	double low, high; /* both inclusive */
	uint64_t runs;
};

/* A zeroed struct is empty. */
struct stat_hist {
	const char *prog; /* not owned; NULL: not for a single program */
	uint32_t prog_id;
	const char *scope; /* not owned; NULL: not for a single scope */
	const char *event; /* not owned */
	const char *unit;  /* not owned; "" without a unit */
	bool is_clock;	   /* `unit` is "msec", but text reports show usec */
	bool fraction;	   /* values have fractions */
	uint64_t runs;
	double p50, p90, p99, p999, max;
	int nr;
	struct hist_bucket *buckets; /* from the first to the last bucket with runs */
};

/* Sums of struct hist_counts: the number of runs in each bucket, and the largest count. */
struct hist_sums;

/* Returns NULL if memory ran out. */
struct hist_sums *hist_sums__new(void);
void hist_sums__free(struct hist_sums *sums);
void hist_sums__reset(struct hist_sums *sums);
void hist_sums__add(struct hist_sums *sums, const struct hist_counts *counts);
/*
 * Sets the sums to those of the runs in @counts since the latest hist_rows__mark() (hist-counts.h).
 * The largest count of these runs is unknown, so the largest count of all runs in @counts is used.
 */
void hist_sums__set_delta(struct hist_sums *sums, const struct hist_counts *counts);

/*
 * Returns a percentile of the counts, without applying evsel.scale: the smallest value V such that
 * at least the fraction @share (0 to 1) of all runs have a count of at most V. The value is rounded
 * up to the end of its bucket, but not above the largest count of a run. Returns 0 if there are no
 * runs.
 */
uint64_t hist_sums__percentile(const struct hist_sums *sums, double share);

/*
 * Replaces the contents of @hist with the distribution in @sums: the counts of @evsel in single
 * runs. The caller then sets `prog`, `prog_id` and `scope`. Returns 0 or -ENOMEM.
 */
int stat_hist__fill(struct stat_hist *hist, const struct hist_sums *sums,
		    const struct evsel *evsel);
void stat_hist__free(struct stat_hist *hist);

#define HIST_DECIMALS 6 /* number of decimals of values that have fractions */

/* The row of a bucket in CSV and JSON. Text output (util/output/runs.c) has no such rows. */
struct hist_row {
	const struct stat_hist *hist;
	const char *prog, *scope, *event, *unit;
	uint32_t prog_id;
	struct hist_bucket bucket;
};

/* Returns the row for the bucket hist->buckets[@nr]. */
struct hist_row hist_row__of(const struct stat_hist *hist, int nr);
const struct column *hist_row__columns(const struct hist_row *row);

#endif
