/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the report of --metric-only: a line for each aggregate and cgroup, and a column for each
 * metric that any line has. If a line lacks a metric, its column is empty there.
 */
#ifndef PSTAT_OUTPUT_METRIC_ONLY_H
#define PSTAT_OUTPUT_METRIC_ONLY_H

#include <stdbool.h>

struct output_state;
struct row_metric;
struct stat_rows;

struct metric_column {
	/* unit of the metric, preceded by the name of the event if the unit is ambiguous */
	char *name;
	bool asked_for; /* requested by name (-M) */
	/* number of the column among columns with the same name, from 1; requested ones first */
	int number;
	/* the metric in the current line; NULL: no value */
	const struct row_metric *metric;
};

struct metric_columns {
	struct metric_column *columns;
	int nr;
};

/*
 * Adds the text of @rows in the state's format. With @heading, first adds the names of the columns.
 */
void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading);
/* Returns whether any column has a value. */
bool metric_only__has_values(const struct stat_rows *rows);

#endif
