/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics that the first half of making a metric set chooses, and the second half evaluates. */
#ifndef PSTAT_METRIC_CHOSEN_H
#define PSTAT_METRIC_CHOSEN_H

#include <stdbool.h>

struct metric_def;
struct metric_expr;
struct metric_ids;

#define NOT_SHOWN (-1)

/* A requested metric. */
struct metric_chosen {
	const struct metric_def *def;
	char *label;	/* name with the modifiers */
	char *shown_as; /* the unit, if any, and the label */
	char *heading;	/* of a default metric, or NULL */
	char *modifier; /* applied to all its events, or NULL */
	char *pmu;	/* core PMU of its events (hybrid machines); NULL: any */
	struct metric_expr *expr;
	struct metric_expr *threshold; /* NULL if there is none, or its events are not counted */
	char *unit;		       /* shown after the value; NULL without a ScaleUnit */
	double scale;

	struct metric_ids *ids; /* events of the expression and of the threshold */
	const char **events;	/* list of `ids`, in perf's order; owned by the expressions */
	int nr_events;
	int nr_counters;       /* number of events that are not tool events */
	int *expr_events;      /* [event of the expression]: index in events */
	int *threshold_events; /* [event of the threshold]: index in events */
	bool grouped;
	bool kept_apart; /* its events are not in a group, because of the NMI watchdog */
	int first, end;	 /* range of its events in the evlist; empty if not known yet */
	bool owns_part;	 /* this range was added for this metric */
	int *indices;	 /* [event]: index of its evsel */
	/* index of the evsel whose row shows it, or NOT_SHOWN if it has no event */
	int shown_at;
};

struct metric_set {
	struct metric_chosen *metrics;
	int nr;
};

#endif
