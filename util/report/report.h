/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts counts to rows: adds up scaled readings by aggregate, averages runs, and computes
 * metrics. The result depends only on the counts.
 *
 *	totals of each run ── report__add_run() ──► means ── report__rows() ──► stat_rows
 *	counts since the mark ───────────── report__interval() ───────────────► stat_rows
 *
 * See aggr.h (aggregates), cells.h (added-up counts, and the list of files), stats.h (means of
 * runs), stat_row.h (the result), hist.h and outlier_row.h (runs of BPF programs), and util/metric
 * (metrics).
 */
#ifndef PSTAT_REPORT_REPORT_H
#define PSTAT_REPORT_REPORT_H

#include <stdbool.h>

struct aggr_map;
struct cells;
struct measurement;
struct cpumap;
struct evlist;
struct metric_set;
struct report;
struct stat_rows;
struct stats;
struct topology;

/* Nothing is owned. All must outlive the report. */
struct report_config {
	const struct evlist *evlist;
	struct aggr_map *aggr;		 /* receives the subjects of the counts */
	const struct topology *topology; /* may be NULL without per_pkg and percore events */
	struct metric_set *metrics;	 /* requested metrics, or NULL */
	/* the PMU on which generic hardware events count, or NULL */
	const char *core_pmu;
	/*
	 * --top: the number of cgroups, programs, scopes or threads to show: those with the largest
	 * counts of the first event; without subjects, the number of events; 0: all
	 */
	int top;
	/*
	 * Called when the counts contain new CPUs; adds these CPUs to `aggr`. Returns 0 or -errno.
	 * NULL: there are never new CPUs.
	 */
	int (*place_cpus)(void *ctx, const struct cpumap *seen);
	void *place_ctx;
	bool system_wide;  /* AGGR_THREAD: omit threads that counted nothing */
	bool metric_only;  /* group rows by aggregate, and compute all possible metrics */
	bool no_scale;	   /* do not scale counts of events that ran only for part of the time */
	bool hybrid_merge; /* --hybrid-merge: names do not contain core PMUs, except in AGGR_NONE */
	/* AGGR_NONE: for percore events, each CPU shows the counts of its core */
	bool percore_show_thread;
};

/* Returns NULL if memory ran out. */
struct report *report__new(const struct report_config *config);
void report__free(struct report *report);

/*
 * Adopts the subjects that are known before counting, so that they have rows even if no run
 * follows. Returns 0 or -ENOMEM.
 */
int report__begin(struct report *report, const struct measurement *m);

/*
 * Adds the totals of a run. @m has the same events as the evlist, in the same order. The columns
 * are its subjects, which the report passes to the aggregate map. The subjects must outlive all
 * further calls. Returns 0 or -ENOMEM.
 */
int report__add_run(struct report *report, const struct measurement *m);

/* Removes all runs. */
void report__reset(struct report *report);

/* Fills @rows with mean and noise of the runs since the last reset. Returns 0 or -ENOMEM. */
int report__rows(struct report *report, struct stat_rows *rows);

/*
 * Fills @rows with the counts of the interval that has just ended. Does not change the runs.
 * Returns 0 or -errno.
 */
int report__interval(struct report *report, const struct measurement *m, struct stat_rows *rows);

/*
 * Adds up the totals since the start, for a caller that makes no rows. *@cells is valid until the
 * next call of any function. Returns 0 or -errno.
 */
int report__totals(struct report *report, const struct measurement *m, const struct cells **cells);

/*
 * Returns the number of runs since the last reset in which the event could not be opened for the
 * cgroup with the number @cgroup (see subjects__cgroups()). The mean does not include these runs.
 */
int report__missed(const struct report *report, int event, int cgroup);

/*
 * Returns the number of runs since the last reset in which the event was enabled but never got a
 * counter in at least one aggregate of the cgroup. The mean of such an aggregate does not include
 * these runs.
 */
int report__waited(const struct report *report, int event, int cgroup);

/* Returns statistics of the wall time of the runs in ns. */
const struct stats *report__elapsed(const struct report *report);

#endif
