/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shadow metrics: what an event's count means beside the counts of other events of the same report, without being asked
 * for: instructions per cycle, misses of all accesses, or so many a second.
 */
#ifndef PSTAT_REPORT_METRIC_H
#define PSTAT_REPORT_METRIC_H

#include <stdint.h>

struct evlist;
struct evsel;
struct stat_row;

/* All counts of a report, scaled to the time enabled, and what else the metrics are made of. Nothing is owned. */
struct metric_source {
	const struct evlist *evlist;
	int nr_aggr;
	const uint64_t *counts;	    /* [event * nr_aggr + aggregate], before the evsel's scale */
	const double *runs;	    /* [aggregate]: runs of the BPF programs, NULL without */
	const char *const *cgroups; /* [event], NULL without cgroups */
	double wall_ns;		    /* 0: not known */
};

/*
 * Adds its metrics to @row, which shows @evsel in aggregate @aggr and has been counted. The other event of a metric has to
 * have the same exclude bits, cgroup and PMU, and be of the same group when @evsel is in one. 0 or -ENOMEM.
 */
int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr, struct stat_row *row);

#endif
