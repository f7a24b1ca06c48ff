/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metrics that -M asks for: which they are, the events that they need, and what they are worth once these were counted.
 *
 *	-M ipc,TLBs ─► defs ─► compiled ─► {instructions,cycles}:W,… ─► evlist
 *	                          └──────────────► counts of a report ─► row_metric
 *
 * A metric is shown behind the first of its events in the evlist. Metrics whose events are all among those of another one share
 * them, so that there are fewer groups for the counters to take turns in.
 */
#ifndef PSTAT_METRIC_SET_H
#define PSTAT_METRIC_SET_H

#include <stdbool.h>

struct event_env;
struct evlist;
struct evsel;
struct machine_view;
struct metric_row;
struct metric_set;
struct metric_source;
struct metric_table;
struct strbuf;

/* Nothing is owned; all but the table's defs may go once the set is made. */
struct metric_set_config {
	const struct metric_table *table;
	const struct machine_view *machine;
	const struct event_env *events;
	bool no_group;	   /* each event by itself */
	bool no_merge;	   /* each metric with events of its own */
	bool no_threshold; /* no events for thresholds alone */
	bool defaults;	   /* for the report without -M: see metric_set__new_default() */
};

/*
 * Finds the metrics of @list, NAME[:MODIFIERS][,…], a name being that of a metric or of a group of metrics ("all": all of them), and adds
 * their events to the end of @evlist. 0 and *@set; -ENOENT: there is no such metric; -EINVAL: a metric makes no sense, or one
 * of its events does not here; -ENOMEM. In the first two cases @why says it, in lines without an end on the last. On failure @evlist is
 * as it was.
 */
int metric_set__new(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **set, struct strbuf *why);
/*
 * Makes the set of metrics that the vendor wants in each report. These are the metrics of the group
 * Default, without those that show the counts of their events, because these are pstat's default
 * events. The rows show the metrics below a heading, and no counts. *@set is NULL if there are
 * none. Errors as for metric_set__new().
 */
int metric_set__new_default(const struct metric_set_config *config, struct evlist *evlist, struct metric_set **set,
			    struct strbuf *why);
void metric_set__free(struct metric_set *set);

/* Moves the metrics of @more, whose events are in the same evlist, to @set, and frees @more. 0 or -ENOMEM. */
int metric_set__join(struct metric_set *set, struct metric_set *more);

/*
 * Adds to @row, which shows @evsel in aggregate @aggr, the metrics that stand behind this event. An event that was not counted
 * has no value, tool events are in seconds, all others are as the kernel counts (clocks in ns), whatever unit they are shown in.
 * 0 or -ENOMEM.
 */
int metric_set__add(struct metric_set *set, const struct metric_source *source, const struct evsel *evsel, int aggr,
		    struct metric_row *row);

/* Does a metric stand behind @evsel? Then its row is shown, though a tool event counted nothing. @set may be NULL. */
bool metric_set__is_at(const struct metric_set *set, const struct evsel *evsel);

#endif
