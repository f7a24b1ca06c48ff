/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the two halves of a metric set: choosing metrics with their events, and evaluating them. */
#ifndef PSTAT_METRIC_CHOSEN_H
#define PSTAT_METRIC_CHOSEN_H

#include <stdbool.h>

struct metric_def;
struct metric_expr;
struct metric_ids;

#define NOT_SHOWN (-1)

/* A metric that was asked for. */
struct metric_chosen {
	const struct metric_def *def;
	char *label;	/* name, with the modifiers */
	char *shown_as; /* the unit, if there is one, and the label */
	char *heading;	/* of a default metric, else NULL */
	char *modifier; /* applied to all its events; NULL without */
	char *pmu;	/* the core PMU of its events (hybrid machines); NULL: any PMU */
	struct metric_expr *expr;
	struct metric_expr *threshold; /* NULL without, or when its events are not counted */
	char *unit;		       /* behind the figure; NULL without a ScaleUnit */
	double scale;

	struct metric_ids *ids; /* the events of the expression and of the threshold */
	const char **events;	/* the same as a list, in perf's order; owned by the expressions */
	int nr_events;
	int nr_counters;       /* events that are no tool events */
	int *expr_events;      /* [event of the expression]: its place in events */
	int *threshold_events; /* [event of the threshold]: its place in events */
	bool grouped;
	bool kept_apart; /* its events are not in a group, because of the NMI watchdog */
	int first, end;	 /* the part of the evlist with its events; equal: not known yet */
	bool owns_part;	 /* this part was made for it and not for another metric */
	int *indices;	 /* [event]: its evsel */
	int shown_at;	 /* evsel whose row shows it; NOT_SHOWN: it has no event, as others' groups serve it */
};

struct metric_set {
	struct metric_chosen *metrics;
	int nr;
};

#endif
