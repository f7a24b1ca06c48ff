/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the metrics that -M requests, and adds their events to the evlist:
 *
 *	-M ipc,TLBs ─► defs ─► compiled ─► {instructions,cycles}:W,… ─► evlist
 *	                          └─ with the counts of a report ─► row_metric
 *
 * A metric is shown in the row of the first of its events in the evlist. If all events of a metric
 * are also events of another metric, the two metrics share these events. So fewer groups of events
 * compete for counters.
 */
#ifndef PSTAT_METRIC_SET_H
#define PSTAT_METRIC_SET_H

#include <stdbool.h>

struct event_env;
struct evlist;
struct evsel;
struct machine_view;
struct metric_set;
struct metric_table;
struct strbuf;

/*
 * The struct does not own what its members point to. `table` must outlive the set, but `machine`
 * and `events` need not.
 */
struct metric_set_config {
	const struct metric_table *table;
	const struct machine_view *machine;
	const struct event_env *events;
	bool no_group;	   /* do not group events */
	bool no_merge;	   /* do not share events between metrics */
	bool no_threshold; /* do not add events that only thresholds need */
	/* show each metric below its metric_def.heading; set by metric_set__new() */
	bool headings;
	/* omit metrics with metric_def.shows_events; set by metric_set__new_default() */
	bool defaults;
};

/*
 * Finds the metrics that @list names, and adds their events to the end of @evlist. @list has the
 * form NAME[:MODIFIERS][,…], where NAME is a metric, a group of metrics, or "all". If @list is
 * "Default", the metrics are sorted by their headings and shown below these headings, as in perf.
 * Returns 0 and sets *@set; -ENOENT if a name is unknown; -EINVAL if a metric is malformed or one
 * of its events does not exist on this machine; or -ENOMEM. For -ENOENT and -EINVAL, adds the
 * reason to @why, without a final newline. On error, @evlist is unchanged.
 */
int metric_set__new(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **set, struct strbuf *why);
/*
 * Makes the set of metrics that the vendor recommends for every report. These are the metrics of
 * the group Default, except metrics with DefaultShowEvents, whose events pstat counts by default
 * anyway. The rows of the set's events show metrics below a heading, but no counts. Returns 0 and
 * sets *@set, which is NULL if there are no such metrics; or -EINVAL or -ENOMEM, like
 * metric_set__new().
 */
int metric_set__new_default(const struct metric_set_config *config, struct evlist *evlist,
			    struct metric_set **set, struct strbuf *why);
void metric_set__free(struct metric_set *set);

/*
 * Moves the metrics of @more to @set. Frees @more, even after an error. The events of both sets
 * must be in the same evlist. Returns 0 or -ENOMEM.
 */
int metric_set__join(struct metric_set *set, struct metric_set *more);

/*
 * Returns whether a metric of @set is shown in the row of @evsel. If so, and if @evsel is a time
 * that pstat measures itself, such as duration_time, the report contains this row even if the time
 * is 0. @set may be NULL.
 */
bool metric_set__is_at(const struct metric_set *set, const struct evsel *evsel);

#endif
