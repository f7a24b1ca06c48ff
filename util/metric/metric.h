/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shadow metrics: what an event's count means beside the counts of other events of the same report, without being asked
 * for: instructions per cycle, misses of all accesses, or so many a second.
 */
#ifndef PSTAT_METRIC_H
#define PSTAT_METRIC_H

#include <stdbool.h>
#include <stdint.h>

struct evlist;
struct evsel;
struct metric_set;
struct metric_row;

/* All counts of a report, scaled to the time enabled, and what else the metrics are made of. Nothing is owned. */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;		/* of all subjects that are told apart */
	int per_subject;	/* of one of them */
	const uint64_t *counts; /* [event * nr_aggr + aggregate], before the evsel's scale */
	const bool *known;	/* the same: it was counted; NULL when nobody asks for metrics by name */
	struct metric_set *set; /* metrics that were asked for by name, NULL without */
	bool all;	    /* every metric that an event can have, whatever was counted: columns are made of them */
	const double *runs; /* as counts: runs of the BPF programs, NULL without */
	bool by_cgroup;	    /* the counts are of cgroups, but `runs` are of all of them */
	double wall_ns;	    /* 0: not known */
};

/*
 * Adds its metrics to @row, which shows @evsel in aggregate @aggr. If @evsel was not counted, there
 * are none, except with source->all: then there are all, without values. The other event of a metric
 * has to have the same exclude bits, cgroup and PMU, and the same group if @evsel is in a group.
 * Returns 0 or -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr, struct metric_row *row);

#endif
