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
 * Finds the default metrics of all events in @evlist. Each metric is shown next to the count of an
 * event E. pstat looks for the metric's other events among the events of @evlist that have the same
 * cgroup, PMU and exclude bits of perf_event_attr as E. However, clocks such as task-clock may have
 * another PMU, and exclude_guest may differ. If E is in a group, pstat looks only in this group.
 * Returns 0 or -ENOMEM. In both cases, the caller must call metric_defaults__free().
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
