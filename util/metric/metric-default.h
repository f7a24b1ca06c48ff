/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Default metrics, such as instructions per cycle, are shown next to a count even if the user did
 * not request metrics (-M). They are computed from this count and other counts of the report.
 */
#ifndef PSTAT_METRIC_DEFAULT_H
#define PSTAT_METRIC_DEFAULT_H

struct evlist;
struct evsel;
struct metric_defaults;
struct metric_row;
struct metric_source;

/*
 * Finds the default metrics of all events in @evlist. A metric is shown next to one event. The
 * other events that the metric needs must have the same cgroup and PMU as this event, and the same
 * exclude bits except exclude_guest. A clock may have another PMU. If this event is in a group, the
 * other events must be in the same group. Returns 0 or -ENOMEM. The caller must free *@defaults in
 * both cases.
 */
int metric_defaults__new(const struct evlist *evlist, struct metric_defaults **defaults);
void metric_defaults__free(struct metric_defaults *defaults);

/*
 * Adds the default metrics of @evsel to @row, with their values for the aggregate @aggr
 * (util/report/aggr.h). Returns 0 or -ENOMEM.
 */
int metric_defaults__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
			 struct metric_row *row);

#endif
