/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that make a metric set. metric-choose.c turns the list of -M into metrics, in
 * the order in which their events are added; metric-make.c makes one metric; metric-set.c adds the
 * events; metric.c computes the values.
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

/* A requested metric. */
struct metric_chosen {
	const struct metric_def *def;
	char *label;	/* name with the modifiers */
	char *shown_as; /* the unit, if there is one, and the label */
	char *heading;	/* only for default metrics; otherwise NULL */
	char *modifier; /* applied to all its events, or NULL */
	char *pmu;	/* core PMU of its events (hybrid machines); NULL: any */
	struct metric_expr *expr;
	struct metric_expr *threshold; /* NULL if there is none */
	char *unit;		       /* shown after the value; NULL if there is no ScaleUnit */
	double scale;

	struct metric_ids *ids; /* events of the expression and of the threshold */
	const char **events;	/* the names in `ids`, in perf's order; owned by the expressions */
	int nr_events;
	int nr_counters; /* number of events that are not tool events */
	bool grouped;
	bool kept_apart; /* its events are not grouped, because of the NMI watchdog */
	int first, end;	 /* range of its events in the evlist; empty if not yet known */
	bool owns_part;	 /* the events in this range were added for this metric */
	int *indices;	 /* for each of `events`, the index of its evsel */
	int *operands;	 /* for each event of `expr`, the index of its evsel */
	/* for each event of `threshold`, the index of its evsel; -1: not counted */
	int *threshold_operands;
	/* index of the evsel in whose row it is shown, or NOT_SHOWN if it has no event */
	int shown_at;
};

struct metric_set {
	struct metric_chosen *metrics;
	int nr;
	/* for each evsel, its name in the expressions; used only while the set is made */
	const char **names;
};

/* The input for making a metric: its definition, the user's name and modifier, and the core PMU. */
struct metric_wanted {
	const struct metric_def *def;
	const char *asked;
	const char *modifier; /* or NULL */
	const char *pmu;      /* NULL: any PMU that has the events */
};

/*
 * Returns 0; -EINVAL, with the reason in @why, if the expressions are malformed; or -ENOMEM. Clear
 * @metric in all cases.
 */
int metric_chosen__make(const struct metric_set_config *config, const struct metric_wanted *wanted,
			struct metric_chosen *metric, struct strbuf *why);
void metric_chosen__clear(struct metric_chosen *metric);

/* Lists the events of metric->ids. Call this again after adding events. Returns 0 or -ENOMEM. */
int metric_chosen__list_events(struct metric_chosen *metric);
/*
 * Finds the operands of the expressions. Call this when the evsels of all events are known. Returns
 * 0 or -ENOMEM.
 */
int metric_chosen__find_operands(struct metric_chosen *metric);

/* Returns the same values as metric_set__new(). Free the set after an error, too. */
int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set,
		  struct strbuf *why);
/* Sorts default metrics by their headings. Call this after their events have been combined. */
void metric_choose__sort_defaults(struct metric_set *set);

/*
 * Adds the event string for @name, the name of an event in the expression of a metric. The text
 * between the first and the last @ contains the terms of a PMU's event. @modifier, which may be
 * NULL, is added to the modifiers of the event, except for tool events.
 */
void metric_chosen__add_event(const char *name, const char *modifier, struct strbuf *text);

/* Returns TOOL_NONE if @name is not a tool event. */
enum tool_event metric_chosen__tool(const char *name);
/* Returns whether @name is a tool event, such as duration_time, which cannot be in a group. */
bool metric_chosen__is_tool(const char *name);

#endif
