/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --metric-only: prints a line for each aggregate and cgroup, with a column for each metric that
 * any line has. So each value is below its name, even if the line does not have all values.
 */
#ifndef PSTAT_OUTPUT_METRIC_ONLY_H
#define PSTAT_OUTPUT_METRIC_ONLY_H

#include <stdbool.h>

struct output_state;
struct row_metric;
struct stat_rows;

struct metric_column {
	/* unit of the metric; if the unit is ambiguous, the name of the event is before it */
	char *name;
	bool asked_for; /* requested by name (-M) */
	/* number from 1 among columns with the same name; requested metrics come first */
	int number;
	/* the metric in the current line; NULL: there is no value */
	const struct row_metric *metric;
};

struct metric_columns {
	struct metric_column *columns;
	int nr;
};

/*
 * Adds the text of @rows in the state's format. If @heading is set, the names of the columns come
 * first.
 */
void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading);
/* Returns whether any column has a value. */
bool metric_only__has_values(const struct stat_rows *rows);

#endif
