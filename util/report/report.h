/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts to rows: readings are scaled and added up by aggregate, runs are averaged, metrics are computed. Pure: the
 * same counts give the same rows.
 *
 *	totals of each run ── report__add_run() ──► means ── report__rows() ──► stat_rows
 *	counts since the mark ───────────── report__interval() ───────────────► stat_rows
 *
 * On the way: aggr.h (what a row is the sum of), cells.h (counts added up; which file does what), stats.h (runs), stat_row.h (what comes
 * out). Beside it: metric.h (shadow metrics), metric-set.h (-M), hist.h and outlier_row.h (runs of BPF programs).
 */
#ifndef PSTAT_REPORT_REPORT_H
#define PSTAT_REPORT_REPORT_H

#include <stdbool.h>

struct aggr_map;
struct counts_set;
struct cpumap;
struct evlist;
struct metric_set;
struct report;
struct stat_rows;
struct stats;
struct topology;

/* Nothing is owned; all of it has to outlive the report. */
struct report_config {
	const struct evlist *evlist;
	struct aggr_map *aggr;		 /* gets the subjects of the counts */
	const struct topology *topology; /* needed for events with per_pkg or percore, else NULL will do */
	const char *const *cgroups;	 /* [event]: its cgroup or NULL; NULL when there are no cgroups at all */
	struct metric_set *metrics;	 /* that were asked for by name, NULL without */
	const char *core_pmu;		 /* the PMU that the generic hardware events count on, NULL without */
	int top; /* --top: the number of cgroups to show, those with the largest counts of the first event; 0: all */
	/*
	 * called when the counts contain CPUs that were never seen before, so that they get places in `aggr`; returns
	 * 0 or -errno. NULL: all CPUs have places
	 */
	int (*place_cpus)(void *ctx, const struct cpumap *seen);
	void *place_ctx;
	bool system_wide;	  /* AGGR_THREAD leaves out threads that counted nothing */
	bool metric_only;	  /* an aggregate's rows stand together, and each has all metrics that it can have */
	bool no_scale;		  /* counts as they were read, however short they ran */
	bool hybrid_merge;	  /* --hybrid-merge: no core PMUs in names, except in AGGR_NONE */
	bool percore_show_thread; /* AGGR_NONE: each CPU shows what its core counted, of percore events */
};

/* NULL without memory. */
struct report *report__new(const struct report_config *config);
void report__free(struct report *report);

/*
 * Adds the totals of a run that took @wall_ns. @set has the evlist's events in its order, in AGGR_THREAD with columns for
 * the threads of the aggr map, or with columns for its subjects, which the report gives to the aggr map. The subjects must outlive
 * all further calls. 0 or -ENOMEM.
 */
int report__add_run(struct report *report, const struct counts_set *set, double wall_ns);

/* Forgets the runs. */
void report__reset(struct report *report);

/* Fills @rows with the means of the runs since the last reset, and how much they differ. 0 or -ENOMEM. */
int report__rows(struct report *report, struct stat_rows *rows);

/* Fills @rows with what was counted in the @wall_ns since counts__mark(); the runs do not change. 0 or -ENOMEM. */
int report__interval(struct report *report, const struct counts_set *set, double wall_ns, struct stat_rows *rows);

/*
 * Returns the number of runs since the last reset in which the event could not be opened for the cgroup of that number (see
 * subjects__cgroups()). The mean is of the other runs.
 */
int report__missed(const struct report *report, int event, int cgroup);

/*
 * Returns the number of runs since the last reset in which the event was enabled but never got a counter in at least
 * one aggregate of the cgroup. The mean of such an aggregate covers only its other runs.
 */
int report__waited(const struct report *report, int event, int cgroup);

/* Wall time of the runs in ns. */
const struct stats *report__elapsed(const struct report *report);

#endif
