/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of metrics: default metrics, and those that -M requests. */
#ifndef PSTAT_METRIC_H
#define PSTAT_METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct evlist;
struct evsel;
struct metric_defaults;
struct metric_row;
struct metric_set;

/*
 * All counts of a report, scaled to the enabled time, and other data from which metrics are
 * computed. Nothing is owned.
 */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;		/* number of aggregates of all subjects */
	int per_subject;	/* number of aggregates of one subject */
	const uint64_t *counts; /* [event * nr_aggr + aggregate], before the evsel's scale */
	const bool *known;	/* like counts: the event was counted */
	const struct metric_defaults *defaults;
	const struct metric_set *set; /* requested metrics, or NULL */
	/*
	 * add every metric that an event can have, even without a value, for the columns of a table
	 */
	bool all;
	const double *runs; /* like counts: runs of the BPF programs; or NULL */
	bool by_cgroup;	    /* the counts are of cgroups, but `runs` are of all cgroups together */
	double wall_ns;	    /* 0: unknown */
};

/*
 * Adds the metrics of @evsel in aggregate @aggr to @row. If @evsel was not counted, adds no
 * metrics; with source->all, adds all metrics without values. Returns 0 or -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
		struct metric_row *row);

#endif
