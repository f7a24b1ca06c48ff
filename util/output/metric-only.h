/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the report of --metric-only. The report has a column for each metric. It has a line for
 * each aggregate (a CPU, core, ...). If cgroups, threads, BPF programs or scopes are counted
 * separately, each of them has its own lines. If a line lacks a metric, the metric's column is
 * empty in this line.
 */
#ifndef PSTAT_OUTPUT_METRIC_ONLY_H
#define PSTAT_OUTPUT_METRIC_ONLY_H

#include <stdbool.h>

struct output_state;
struct row_metric;
struct stat_rows;

struct metric_column {
	/*
	 * The heading: the text that follows the metric's value in other reports, for example "insn
	 * per cycle". If this text makes no sense by itself ("of all ...", "per run"), the name of
	 * the event precedes it.
	 */
	char *name;
	bool asked_for; /* as in struct row_metric */
	/*
	 * the number of the column among the columns with the same name, counted from 1; the
	 * columns whose `asked_for` is true are numbered first
	 */
	int number;
	/* the metric in the current line; NULL: the line has no value in this column */
	const struct row_metric *metric;
};

struct metric_columns {
	struct metric_column *columns;
	int nr;
};

/*
 * Adds @rows to state->text in the format state->config.format. If @heading is true, first adds the
 * names of the columns.
 */
void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading);
/* Returns whether any column has a value in the report of @rows. */
bool metric_only__has_values(const struct stat_rows *rows);

#endif
