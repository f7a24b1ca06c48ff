/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts counts to rows. A row shows the count of one event for one subject in one aggregate (a
 * set of CPUs, for example a socket). The report scales the counts of multiplexed events, adds up
 * the counts of each aggregate, averages repetitions (-r), and computes metrics.
 *
 *	totals of a repetition ── report__add_run() ──► means ── report__rows() ──► stat_rows
 *	counts of an interval ──────────────── report__interval() ────────────────► stat_rows
 *
 * See aggr.h (aggregates), cells.h (sums of counts, and a list of the source files), stats.h
 * (means), stat_row.h (rows), hist.h and outlier_row.h (runs of BPF programs and scopes), and
 * util/metric (metrics).
 *
 * A subject is a cgroup, thread, BPF program or scope (--scope: code between two points) that has
 * counts of its own.
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

/*
 * The report does not own the objects to which the members point. These objects must outlive the
 * report.
 */
struct report_config {
	const struct evlist *evlist;
	struct aggr_map *aggr;		 /* the report sets aggr->subjects */
	const struct topology *topology; /* may be NULL if no evsel is `per_pkg` or `percore` */
	/* the metrics that options such as -M request, or that the vendor recommends; or NULL */
	struct metric_set *metrics;
	/* AGGR_NONE: the PMU to print with the names of cache events, or NULL */
	const char *core_pmu;
	/*
	 * --top: the maximum number of subjects to show. The report shows the subjects with the
	 * largest counts of the first event. If the subjects are programs or scopes in cgroups,
	 * `top` is the maximum number of cgroups to show for each program or scope. Without
	 * subjects, `top` is the maximum number of events to show. 0: no limit.
	 */
	int top;
	/*
	 * --hide-zero: the output omits rows for which stat_row__is_zero() returns true. --top does
	 * not choose a subject or event whose rows are all omitted.
	 */
	bool hide_zero;
	/*
	 * Adds to `aggr` each CPU of @seen (see struct measurement) that `aggr` lacks. Returns 0 or
	 * -errno. NULL: the report never adds CPUs.
	 */
	int (*place_cpus)(void *ctx, const struct cpumap *seen);
	void *place_ctx;
	bool system_wide; /* AGGR_THREAD: omit rows with a count of 0 */
	/* group rows by aggregate, and add all metrics of each event, even those without a value */
	bool metric_only;
	bool no_scale;	   /* do not scale the counts of multiplexed events */
	bool hybrid_merge; /* --hybrid-merge: no core PMU in event names, except in AGGR_NONE */
	/* AGGR_NONE: for an event with the term percore, a CPU's row shows the count of its core */
	bool percore_show_thread;
};

/* Returns NULL if memory ran out. */
struct report *report__new(const struct report_config *config);
void report__free(struct report *report);

/*
 * Stores the subjects that are known before counting starts. These subjects have rows even if no
 * repetition is added. Returns 0 or -ENOMEM.
 */
int report__begin(struct report *report, const struct measurement *m);

/*
 * Adds the totals of a repetition. @m must have the events of the evlist, in the same order. The
 * subjects and the histograms of @m must stay valid as long as the report is used. Returns 0 or
 * -errno.
 */
int report__add_run(struct report *report, const struct measurement *m);

/* Removes all repetitions. */
void report__reset(struct report *report);

/* Fills @rows with the means of the repetitions since the last reset. Returns 0 or -ENOMEM. */
int report__rows(struct report *report, struct stat_rows *rows);

/*
 * Fills @rows with the counts of the interval that has just ended. Does not change the statistics
 * of the repetitions. Returns 0 or -errno.
 */
int report__interval(struct report *report, const struct measurement *m, struct stat_rows *rows);

/*
 * For each aggregate, adds up the counts since counting began. Makes no rows. Sets *@cells to the
 * sums, which are valid until the next call to a report function. Returns 0 or -errno.
 */
int report__totals(struct report *report, const struct measurement *m, const struct cells **cells);

/*
 * Returns the number of repetitions since the last reset in which the event with the index @event
 * could not be opened for the cgroup with the index @cgroup (0 without cgroups). The mean does not
 * include these repetitions.
 */
int report__missed(const struct report *report, int event, int cgroup);

/*
 * Returns the number of repetitions since the last reset in which the event waited for a counter:
 * it was enabled for a subject of the cgroup, but at least one CPU of an aggregate, or the whole
 * aggregate, never had a counter for it. The mean for this subject and aggregate does not include
 * such a repetition.
 */
int report__waited(const struct report *report, int event, int cgroup);

/* Returns the statistics of the repetitions' wall times in ns. */
const struct stats *report__elapsed(const struct report *report);

#endif
