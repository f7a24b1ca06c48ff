/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the metrics in the rows of a report: default metrics (metric-default.h), and the metrics
 * of a metric set (metric-set.h), for example those that -M requests.
 */
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
 * The data from which the metrics of a report are computed. The counts of multiplexed events are
 * already scaled up, except with --no-scale. util/report/aggr.h explains aggregates and subjects.
 * The struct does not own what its members point to.
 */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;		/* total number of aggregates of all subjects */
	int per_subject;	/* number of aggregates of one subject */
	const uint64_t *counts; /* [event * nr_aggr + aggregate], not multiplied by evsel.scale */
	const bool *known;	/* same index as `counts`: whether the event was counted */
	const struct metric_defaults *defaults;
	/* the metrics that options such as -M request, or that the vendor recommends; or NULL */
	const struct metric_set *set;
	/*
	 * add the metrics of an event even if they have no value (except rates per second), because
	 * each metric is a column of the report (--metric-only)
	 */
	bool all;
	/*
	 * same index as `counts`: the number of runs of BPF programs or scopes; NULL: runs are not
	 * counted
	 */
	const double *runs;
	bool by_cgroup; /* the counts are split by cgroup, but `runs` is not */
	double wall_ns; /* wall time in ns; 0: unknown */
};

/*
 * Adds to @row the metrics that belong in the row of @evsel, with their values in the aggregate
 * @aggr. The caller must set row->counted if @evsel was counted, and clear it otherwise. If @evsel
 * was not counted, adds metrics only if source->all is set, and without values. Returns 0 or
 * -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
		struct metric_row *row);

#endif
