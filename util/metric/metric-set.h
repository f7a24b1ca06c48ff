/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metrics of -M: finds them, and adds the events that they need.
 *
 *	-M ipc,TLBs ─► defs ─► compiled ─► {instructions,cycles}:W,… ─► evlist
 *	                          └──────────────► counts of a report ─► row_metric
 *
 * A metric is shown in the row of its first event in the evlist. If all events of a metric are
 * among those of another metric, the two metrics share these events, so fewer groups compete for
 * counters.
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

/* Nothing is owned. The definitions of the table must outlive the set; everything else need not. */
struct metric_set_config {
	const struct metric_table *table;
	const struct machine_view *machine;
	const struct event_env *events;
	bool no_group;	   /* do not group events */
	bool no_merge;	   /* do not share events between metrics */
	bool no_threshold; /* do not add events that only thresholds need */
	bool headings;	   /* show metrics below the headings that the vendor chose */
	bool defaults;	   /* for the report without -M: see metric_set__new_default() */
};

/*
 * Finds the metrics of @list, NAME[:MODIFIERS][,…], where NAME is a metric, a group of metrics, or
 * "all". Adds their events to the end of @evlist. Returns 0 and sets *@set; -ENOENT if there is no
 * such metric; -EINVAL if a metric is malformed or one of its events does not exist on this
 * machine; or -ENOMEM. The first two errors add the reason to @why, without a final newline. On
 * error, @evlist is unchanged. If @list is only the group Default, the metrics are sorted by their
 * headings and shown below them, as in perf.
 */
int metric_set__new(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **set, struct strbuf *why);
/*
 * Makes the set of metrics that the vendor recommends for every report. These are the metrics of
 * the group Default, except those that show the counts of their events, because pstat counts these
 * events by default. The rows contain the metrics below a heading, and no counts. If there are no
 * such metrics, *@set is NULL. Returns the same errors as metric_set__new().
 */
int metric_set__new_default(const struct metric_set_config *config, struct evlist *evlist,
			    struct metric_set **set, struct strbuf *why);
void metric_set__free(struct metric_set *set);

/*
 * Moves the metrics of @more, whose events are in the same evlist, to @set, and frees @more.
 * Returns 0 or -ENOMEM.
 */
int metric_set__join(struct metric_set *set, struct metric_set *more);

/*
 * Returns whether a metric is shown in the row of @evsel. If so, the row is shown even if a tool
 * event counted nothing. @set may be NULL.
 */
bool metric_set__is_at(const struct metric_set *set, const struct evsel *evsel);

#endif
