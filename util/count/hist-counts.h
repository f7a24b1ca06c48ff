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
	const struct evsel *evsel; /* what the buckets are of, before its scale */
	uint64_t max;		   /* the largest count of a run, of all */
	uint64_t total[HIST_BUCKETS];
	uint64_t mark[HIST_BUCKETS];
};

/* The totals are about to be added up anew, beginning with those of @kept. */
void hist_counts__copy(struct hist_counts *hist, const struct hist_counts *kept);

/* The counts that @bucket is for, both included. */
uint64_t hist__low(int bucket);
uint64_t hist__high(int bucket);

#endif
