/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --metric-only: a line for each aggregate and cgroup, and a column for each metric of any line, so
 * that values stay below their names if others are missing.
 */
#ifndef PSTAT_OUTPUT_METRIC_ONLY_H
#define PSTAT_OUTPUT_METRIC_ONLY_H

#include <stdbool.h>

struct output_state;
struct row_metric;
struct stat_rows;

struct metric_column {
	/* unit of the metric, after the event's name if the unit is ambiguous */
	char *name;
	bool asked_for; /* requested by name (-M) */
	/* from 1, among columns with the same name; requested metrics come first */
	int number;
	const struct row_metric *metric; /* in the current line; NULL without a value */
};

struct metric_columns {
	struct metric_column *columns;
	int nr;
};

/*
 * Adds the text of @rows in the state's format, after the names of the columns if @heading is set.
 */
void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading);
/* Returns whether any column has a value. */
bool metric_only__has_values(const struct stat_rows *rows);

#endif
