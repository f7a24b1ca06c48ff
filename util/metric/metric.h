/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of metrics: of the default metrics, and of those that -M requests. */
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
 * All counts of a report, scaled to the enabled time, and the other inputs of metrics. Does not own
 * anything.
 */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;		/* for all subjects */
	int per_subject;	/* for one subject */
	const uint64_t *counts; /* [event * nr_aggr + aggregate], before the evsel's scale */
	const bool *known;	/* like counts: the event was counted */
	const struct metric_defaults *defaults;
	const struct metric_set *set; /* requested metrics, or NULL */
	/* add every possible metric of an event for the columns of a table, even without a value */
	bool all;
	const double *runs; /* like counts: runs of the BPF programs; or NULL */
	bool by_cgroup;	    /* the counts are of cgroups, but `runs` are of all cgroups together */
	double wall_ns;	    /* 0: unknown */
};

/*
 * Adds the metrics of @evsel in aggregate @aggr to its @row. If @evsel was not counted, there are
 * none, but with source->all there are all, without values. Returns 0 or -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
		struct metric_row *row);

#endif
