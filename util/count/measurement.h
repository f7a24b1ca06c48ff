/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of a session: a measurement at each reading, and single runs of BPF programs as they
 * arrive. A session passes nothing else to its sink, and the sink cannot change them.
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
 * A session has one measurement, and updates it at each reading. It is valid until the next
 * repetition begins.
 */
struct measurement {
	/* when the events were enabled, on CLOCK_MONOTONIC; with -D -1, when the session started */
	uint64_t start_ns;
	uint64_t time_ns;   /* from start_ns to the reading of the counts */
	uint64_t length_ns; /* since the previous reading */
	/*
	 * CPUs that were online at any time; rows of other CPUs are not shown. NULL: all rows are
	 * shown
	 */
	const struct cpumap *seen;
	int nr;
	/*
	 * in the order of the evlist; counts__delta() is the count of this interval,
	 * counts__total() the count since the start
	 */
	const struct counts *const *events;
	/*
	 * the columns of the counts; NULL: there are no subjects. Counts that do not depend on the
	 * subject have a single column
	 */
	const struct subjects *subjects;
	/* with -b: the number of runs, by which the report divides; otherwise NULL */
	const struct counts *run_cnt;
	const struct hist_rows *hist; /* the distribution of the runs; NULL without --hist */
	/*
	 * the sums over all repetitions, updated when the events are disabled; NULL without
	 * --outliers
	 */
	const struct outlier_sums *outliers;
	/*
	 * of -b and --scope: runs of this repetition that were not counted; known when it has
	 * ended or, with stat_config.reads_lost, at each reading
	 */
	uint64_t lost_runs;
	const struct profile *profile; /* the samples of pstat profile; otherwise NULL */
};

/* Receives the results. If a function returns a negative errno, the count ends. */
struct session_sink {
	void *ctx;
	/* Called at the end of each interval. The last interval may be shorter. */
	int (*interval)(void *ctx, const struct measurement *measurement);
	/*
	 * Called with a single run. Runs that arrive together are sorted by time. Not called
	 * without --outliers.
	 */
	int (*run)(void *ctx, const struct outlier *outlier);
	/*
	 * Returns an fd that becomes readable when somebody, such as a client, waits for the sink's
	 * output, or -1. Called when the count starts; the fd must stay open until it ends. NULL:
	 * nobody ever waits.
	 */
	int (*wake_fd)(void *ctx);
	/*
	 * Called when the fd is readable. Returns 1 if the sink needs the counts of this moment, 0
	 * if it does not, or a negative errno.
	 */
	int (*wake)(void *ctx);
	/* Called with these counts. They do not end an interval. */
	int (*reading)(void *ctx, const struct measurement *measurement);
};

#endif
