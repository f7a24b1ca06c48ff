/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session hands over: a measurement at each tick, and single runs of BPF programs as they
 * arrive. Nothing else leaves a session. The sink may only read, and nothing flows back.
 */
#ifndef PSTAT_COUNT_MEASUREMENT_H
#define PSTAT_COUNT_MEASUREMENT_H

#include <stdint.h>

struct counts;
struct cpumap;
struct hist_rows;
struct outlier;
struct outlier_sums;
struct profile;
struct subjects;

/*
 * A session has one measurement, and brings it up to date at each tick. It is valid until the next
 * repetition begins.
 */
struct measurement {
	/* when the events were enabled, on CLOCK_MONOTONIC; with -D -1 when the session started */
	uint64_t start_ns;
	uint64_t time_ns;   /* from then to the reading of the counts */
	uint64_t length_ns; /* since the tick before */
	/*
	 * CPUs that were online at some time; rows of other CPUs are not shown. NULL: all rows are
	 * shown
	 */
	const struct cpumap *seen;
	int nr;
	/*
	 * in the evlist's order; counts__delta() is this interval, counts__total() all since the
	 * start
	 */
	const struct counts *const *events;
	/*
	 * the columns of the counts; NULL: nothing is counted separately. Counts that are the same
	 * for all subjects have one column
	 */
	const struct subjects *subjects;
	const struct counts *run_cnt; /* of -b: the runs, by which the report divides; else NULL */
	const struct hist_rows *hist; /* how the runs are distributed; NULL without --hist */
	/* as of the last disable, of all repetitions; NULL without --outliers */
	const struct outlier_sums *outliers;
	const struct profile *profile; /* of pstat profile: samples; else NULL */
};

/* Who receives the results. A negative errno of a function ends the count. */
struct session_sink {
	void *ctx;
	/* The end of an interval, the last and perhaps shorter one included. */
	int (*interval)(void *ctx, const struct measurement *measurement);
	/*
	 * A single run. Those that arrive together are in the order of their times. Not called
	 * without --outliers.
	 */
	int (*run)(void *ctx, const struct outlier *outlier);
};

#endif
