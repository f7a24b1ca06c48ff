/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts counts to rows. A row shows one event in one aggregate, for example in one socket. The
 * report scales readings, adds them up by aggregate, averages repetitions (-r), and computes
 * metrics.
 *
 *	totals of a repetition ── report__add_run() ──► means ── report__rows() ──► stat_rows
 *	counts of an interval ──────────────── report__interval() ────────────────► stat_rows
 *
 * See aggr.h (aggregates), cells.h (sums of readings; this header also lists the source files),
 * stats.h (means), stat_row.h (rows), hist.h and outlier_row.h (runs of BPF programs), and
 * util/metric (metrics).
 *
 * A subject is a cgroup, BPF program, scope or thread that has counts of its own.
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
	const struct topology *topology; /* may be NULL if no event is per_pkg or percore */
	struct metric_set *metrics;	 /* requested metrics, or NULL */
	/* the PMU on which generic hardware events count, or NULL */
	const char *core_pmu;
	/*
	 * --top: the number of subjects to show, in the order of their counts of the first event.
	 * Without subjects: the number of events to show. 0: all.
	 */
	int top;
	/*
	 * --hide-zero: the output omits rows for which stat_row__is_zero() is true. `top` does not
	 * choose a subject or an event if all its rows are omitted.
	 */
	bool hide_zero;
	/*
	 * Adds the CPUs in @seen that are not in `aggr` to `aggr`. Returns 0 or -errno. NULL: no
	 * CPU is ever added.
	 */
	int (*place_cpus)(void *ctx, const struct cpumap *seen);
	void *place_ctx;
	bool system_wide;  /* AGGR_THREAD: omit threads with a count of 0 */
	bool metric_only;  /* group rows by aggregate, and compute all possible metrics */
	bool no_scale;	   /* do not scale counts of events that ran for only part of the time */
	bool hybrid_merge; /* --hybrid-merge: names do not contain core PMUs, except in AGGR_NONE */
	/* AGGR_NONE: for a percore event, each CPU's row shows the count of the whole core */
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
 * subjects of @m must outlive all later calls. Returns 0 or -ENOMEM.
 */
int report__add_run(struct report *report, const struct measurement *m);

/* Removes all repetitions. */
void report__reset(struct report *report);

/* Fills @rows with the means of the repetitions since the last reset. Returns 0 or -ENOMEM. */
int report__rows(struct report *report, struct stat_rows *rows);

/*
 * Fills @rows with the counts of the interval that has just ended. Does not change the repetitions.
 * Returns 0 or -errno.
 */
int report__interval(struct report *report, const struct measurement *m, struct stat_rows *rows);

/*
 * Sums the totals since counting began for each aggregate, without making rows. Sets *@cells to the
 * sums, which are valid until the next call to a report function. Returns 0 or -errno.
 */
int report__totals(struct report *report, const struct measurement *m, const struct cells **cells);

/*
 * Returns the number of repetitions since the last reset in which the event could not be opened for
 * the cgroup with the number @cgroup (see subjects__cgroups()). The mean does not include these
 * repetitions.
 */
int report__missed(const struct report *report, int event, int cgroup);

/*
 * Returns the number of repetitions since the last reset in which the event was enabled in some
 * aggregate of the cgroup, but never got a counter in that aggregate. The mean of the aggregate
 * does not include these repetitions.
 */
int report__waited(const struct report *report, int event, int cgroup);

/* Returns the statistics of the repetitions' wall times in ns. */
const struct stats *report__elapsed(const struct report *report);

#endif
