/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the values of metrics: of default metrics, and of metrics that -M requests. */
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
 * computed. The struct does not own what its members point to.
 */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;		/* number of aggregates of all subjects */
	int per_subject;	/* number of aggregates of one subject */
	const uint64_t *counts; /* [event * nr_aggr + aggregate], before the evsel's scale */
	const bool *known;	/* indexed like counts: whether the event was counted */
	const struct metric_defaults *defaults;
	const struct metric_set *set; /* requested metrics, or NULL */
	/*
	 * add every metric that an event can have, even if it has no value, because each metric
	 * becomes a column of a table
	 */
	bool all;
	/* indexed like counts: the number of runs of the BPF programs; or NULL */
	const double *runs;
	bool by_cgroup; /* the counts are split by cgroup, but `runs` are not */
	double wall_ns; /* 0: unknown */
};

/*
 * Adds the metrics of @evsel, with their values in the aggregate @aggr, to @row. If @evsel was not
 * counted, adds no metrics, or, with source->all, all metrics without values. Returns 0 or -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
		struct metric_row *row);

#endif
