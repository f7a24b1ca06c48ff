/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --metric-only: a line for each aggregate and cgroup, a column for each metric. The columns are those of all lines together,
 * so that a value stands under its name also where others are missing.
 */
#ifndef PSTAT_OUTPUT_METRIC_ONLY_H
#define PSTAT_OUTPUT_METRIC_ONLY_H

#include <stdbool.h>

struct output_state;
struct row_metric;
struct stat_rows;

struct metric_column {
	char *name;	/* the metric's unit, with the event's name where it would mean nothing alone */
	bool asked_for; /* by name (-M) */
	int number;	/* 1, or which of several columns of that name; those that were asked for come first */
	const struct row_metric *metric; /* of the line at hand; NULL when it has no value there */
};

struct metric_columns {
	struct metric_column *columns;
	int nr;
};

/* Adds the text of @rows, and with @heading the columns' names before it, in the state's format. */
void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading);
/* Is there a figure in any column? */
bool metric_only__has_values(const struct stat_rows *rows);

#endif
