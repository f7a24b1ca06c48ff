/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of a session. The sink gets a measurement at the end of each interval and, with
 * --outliers, individual runs of BPF programs or scopes. The measurement of the whole repetition is
 * session_end.total (session.h).
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
 * A session has one measurement and updates it at each reading. The values stay valid until the
 * next repetition of -r begins.
 */
struct measurement {
	/*
	 * the time on CLOCK_MONOTONIC right after pstat enabled the events; with -D -1, the time
	 * when the repetition started
	 */
	uint64_t start_ns;
	/*
	 * ns from start_ns to the reading; with --start or --stop, the time for which the gate
	 * (gate.h) has been open
	 */
	uint64_t time_ns;
	uint64_t length_ns; /* the increase in time_ns since the previous reading */
	/*
	 * the CPUs that were online at any time while pstat counted; the report omits the rows of
	 * all other CPUs. NULL: the report shows all rows
	 */
	const struct cpumap *seen;
	int nr;
	/*
	 * the counts of the `nr` events, in the order of the evlist. counts__delta() returns the
	 * count of the current interval, and counts__total() returns the count since the start
	 */
	const struct counts *const *events;
	/*
	 * the subjects; NULL if nothing is counted separately. If a backend sets
	 * counter_backend.by_subject, the columns of its counts are the subjects
	 */
	const struct subjects *subjects;
	/*
	 * the numbers of runs, by which the report divides counts to print counts per run; NULL
	 * unless -b or --scope is given
	 */
	const struct counts *run_cnt;
	const struct hist_rows *hist; /* the histograms of --hist, or NULL */
	/*
	 * the numbers of outliers (outliers.h) in all repetitions, updated when the events are
	 * disabled; NULL without --outliers
	 */
	const struct outlier_sums *outliers;
	/*
	 * with -b or --scope: the number of runs in this repetition that could not be counted. Set
	 * at the end of the repetition; with stat_config.reads_lost, also at each reading
	 */
	uint64_t lost_runs;
	const struct profile *profile; /* the samples of `pstat profile`; otherwise NULL */
};

/*
 * Functions that receive the results. If any of them except wake_fd() returns a negative errno,
 * session__run() fails.
 */
struct session_sink {
	void *ctx;
	/*
	 * Called at the end of each interval. The last interval may be shorter than the other
	 * intervals.
	 */
	int (*interval)(void *ctx, const struct measurement *measurement);
	/*
	 * Called for each run that --outliers reports. pstat receives runs in batches; the runs are
	 * sorted by time only within each batch.
	 */
	int (*run)(void *ctx, const struct outlier *outlier);
	/*
	 * Returns an fd that is readable when a client of the sink, such as an HTTP client, is
	 * waiting for output. Returns -1 if there is no such fd. Called when a repetition starts.
	 * The fd must stay open until the repetition ends. NULL: the sink has no clients.
	 */
	int (*wake_fd)(void *ctx);
	/*
	 * Called when the fd of wake_fd() is readable. Returns 1 if the sink wants the current
	 * counts, 0 if not, or a negative errno.
	 */
	int (*wake)(void *ctx);
	/* Called with the current counts after wake() has returned 1. Does not end an interval. */
	int (*reading)(void *ctx, const struct measurement *measurement);
};

#endif
