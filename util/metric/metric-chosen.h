/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations for the files that make and use a metric set (struct metric_set). metric-choose.c
 * turns the list of -M into metrics, in the order in which their events are added. metric-make.c
 * makes one metric. metric-set.c adds the events to the evlist. metric.c computes the values.
 */
#ifndef PSTAT_METRIC_CHOSEN_H
#define PSTAT_METRIC_CHOSEN_H

#include <stdbool.h>

#include "util/event/evsel.h"

struct metric_def;
struct metric_expr;
struct metric_ids;
struct metric_set_config;
struct strbuf;

#define METRIC_GROUP_DEFAULT "Default"
#define NOT_SHOWN (-1)

/* A metric that -M requests, or that the vendor recommends for every report. */
struct metric_chosen {
	const struct metric_def *def;
	char *label;	/* the name of the metric, and the modifier from -M */
	char *shown_as; /* the unit, if there is one, and the label */
	char *heading;	/* NULL unless metric_set_config.headings is set */
	char *modifier; /* added to all events except tool events; NULL: none */
	char *pmu;	/* the core PMU of the metric's events (hybrid machines); NULL: any */
	struct metric_expr *expr;
	struct metric_expr *threshold; /* NULL if there is none */
	char *unit;		       /* from ScaleUnit; NULL: no unit */
	double scale;

	/*
	 * the events of the expression and (unless metric_set_config.no_threshold is set) of the
	 * threshold; add_own() of metric-set.c can add more tool events
	 */
	struct metric_ids *ids;
	/* the names in `ids`, in perf's order; the strings are not owned */
	const char **events;
	int nr_events;
	int nr_counters; /* number of events that are not tool events (metric_chosen__is_tool()) */
	bool grouped;
	bool kept_apart; /* not grouped, because the NMI watchdog is on */
	/*
	 * the evsels from index `first` to `end` - 1 include the metric's events; both indexes are
	 * 0 until the events are added
	 */
	int first, end;
	/* add_own() of metric-set.c added the evsels from `first` to `end` - 1 for this metric */
	bool owns_part;
	int *indices;  /* for each of `events`, the index of its evsel */
	int *operands; /* for each event of `expr`, the index of its evsel */
	/* for each event of `threshold`, the index of its evsel; -1: the event is not counted */
	int *threshold_operands;
	/*
	 * the index of the evsel in whose row the metric is shown; NOT_SHOWN: the metric has no
	 * event
	 */
	int shown_at;
};

struct metric_set {
	struct metric_chosen *metrics;
	int nr;
	/* for each evsel, its name in the expressions; used only while the set is made */
	const char **names;
};

/*
 * The input for making a metric. `asked` is the name of a metric or group in -M, and `modifier` is
 * the modifier after this name.
 */
struct metric_wanted {
	const struct metric_def *def;
	const char *asked;
	const char *modifier; /* or NULL */
	const char *pmu;      /* NULL: any PMU that has the events */
};

/*
 * Makes @metric. Returns 0; -EINVAL, with the reason in @why, if an expression is malformed; or
 * -ENOMEM. The caller must call metric_chosen__clear() even after an error.
 */
int metric_chosen__make(const struct metric_set_config *config, const struct metric_wanted *wanted,
			struct metric_chosen *metric, struct strbuf *why);
void metric_chosen__clear(struct metric_chosen *metric);

/*
 * Sets metric->events to the events in metric->ids. Call this again after adding events to
 * metric->ids. Returns 0 or -ENOMEM.
 */
int metric_chosen__list_events(struct metric_chosen *metric);
/*
 * Sets metric->operands and metric->threshold_operands. metric->indices must be set. Returns 0 or
 * -ENOMEM.
 */
int metric_chosen__find_operands(struct metric_chosen *metric);

/*
 * Adds to @set the metrics that @list names. Returns 0 or the same errors as metric_set__new(). The
 * caller must free @set even after an error.
 */
int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set,
		  struct strbuf *why);
/*
 * Sorts the metrics by their headings, in descending order. Call this after add_combined() of
 * metric-set.c, which adds events in an order that depends on the order of the metrics.
 */
void metric_choose__sort_defaults(struct metric_set *set);

/*
 * Adds @name, an event in the expression of a metric, to @text in the syntax of -e. In @name, the
 * terms of a PMU's event are between two @: cpu@event=0x3c@ becomes cpu/event=0x3c/. Unless the
 * event is a tool event, adds @modifier to its modifiers. @modifier may be NULL.
 */
void metric_chosen__add_event(const char *name, const char *modifier, struct strbuf *text);

/* Returns the tool event @name, or TOOL_NONE if @name is not a tool event. */
enum tool_event metric_chosen__tool(const char *name);
/*
 * Returns whether @name is a tool event: an event that no perf fd counts, such as duration_time.
 * Tool events cannot be in a group.
 */
bool metric_chosen__is_tool(const char *name);

#endif
