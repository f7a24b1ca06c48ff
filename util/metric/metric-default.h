/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Default metrics: values that are shown next to a count, and computed from this count and other
 * counts of the report, such as instructions per cycle.
 */
#ifndef PSTAT_METRIC_DEFAULT_H
#define PSTAT_METRIC_DEFAULT_H

struct evlist;
struct evsel;
struct metric_defaults;
struct metric_row;
struct metric_source;

/*
 * Finds the default metrics of all events. The other events of a metric must have the same exclude
 * bits, cgroup and PMU as the event next to which the metric is shown (for a clock, the PMU may
 * differ). If this event is in a group, the other events must be in the same group. Returns 0 or
 * -ENOMEM. The caller must free *@defaults in both cases.
 */
int metric_defaults__new(const struct evlist *evlist, struct metric_defaults **defaults);
void metric_defaults__free(struct metric_defaults *defaults);

/*
 * Adds the default metrics of @evsel, with their values in the aggregate @aggr, to @row. Returns 0
 * or -ENOMEM.
 */
int metric_defaults__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
			 struct metric_row *row);

#endif
