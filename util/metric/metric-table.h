/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics by name: pstat's own, which need nothing but generic events, and those of a file before them. */
#ifndef PSTAT_METRIC_TABLE_H
#define PSTAT_METRIC_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* May its events stand in a group, so that they are counted at the same time? (perf: MetricConstraint) */
enum metric_grouping {
	METRIC_GROUP,
	METRIC_NO_GROUP,	  /* NO_GROUP_EVENTS */
	METRIC_NO_GROUP_WATCHDOG, /* NO_GROUP_EVENTS_NMI: not while the NMI watchdog holds a counter */
	/*
	 * NO_THRESHOLD_AND_NMI: not while the watchdog holds a counter and threshold events are
	 * counted
	 */
	METRIC_NO_GROUP_THRESHOLD,
	METRIC_NO_GROUP_SMT, /* NO_GROUP_EVENTS_SMT: not while SMT is on */
};

/* Strings are NULL when there are none, but for name and expr. */
struct metric_def {
	const char *name;
	const char *groups;    /* separated by ; */
	const char *expr;      /* see metric-expr.h */
	const char *scale;     /* a factor with a unit behind it: "100%", "1e3per_sec" */
	const char *threshold; /* an expression: above 0 the metric is worth a look */
	const char *desc;
	const char *long_desc;
	const char *no_group_for; /* the groups, separated by ;, that do not group its events */
	const char *heading;	  /* above it in default metrics (DefaultMetricgroupName) */
	const char *shows_events; /* "1": a default metric whose events are shown with their counts */
	const char *pmu;	  /* the PMU that its events are counted on (hybrid machines), in the file's words */
	enum metric_grouping grouping;
	bool own; /* pstat's own, not from a file */
	int line; /* of the file, 0 in a table of pstat's own */
};

struct metric_table;

/* With pstat's own metrics in it. NULL without memory. */
struct metric_table *metric_table__new(void);
void metric_table__free(struct metric_table *table);

/* Adds copies. A name that is there already is told apart by its PMU; else the new one takes its place. 0 or -ENOMEM. */
int metric_table__add(struct metric_table *table, const struct metric_def *def);

int metric_table__nr(const struct metric_table *table);
/* In the order of their names, case aside. */
const struct metric_def *metric_table__get(const struct metric_table *table, int i);

/* By its name, case aside; of several that of @pmu (may be NULL) is preferred. NULL when there is none. */
const struct metric_def *metric_table__find(const struct metric_table *table, const char *name, const char *pmu);

/* Is @name one of @list, names separated by ; and white space, case aside? */
bool metric_names__has(const char *list, const char *name);
/* The first name of such a list and its *@len; NULL after the last. What is behind it, @name + *@len, is a list again. */
const char *metric_names__next(const char *list, size_t *len);

#endif
