// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/metric-only.h"

#include <stdlib.h>
#include <string.h>

#include "util/output/format.h"
#include "util/report/stat_row.h"

/*
 * Returns whether the metric has a column. As in perf, rates per second and "CPUs utilized" have no
 * column.
 */
static bool is_column(const struct row_metric *metric)
{
	return !strstr(metric->unit, "/sec") && !strstr(metric->unit, "CPUs utilized");
}

static bool same_line(const struct stat_row *a, const struct stat_row *b)
{
	const struct aggr_id *one = &a->id, *two = &b->id;

	return one->node == two->node && one->socket == two->socket && one->die == two->die &&
	       one->cluster == two->cluster && one->cache_level == two->cache_level &&
	       one->cache == two->cache && one->core == two->core && one->cpu == two->cpu &&
	       one->tid == two->tid && one->subject_id == two->subject_id &&
	       one->subject == two->subject &&
	       !strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "");
}

/*
 * Returns the index of the first row after row @first that is not on the same line, or the number
 * of rows if there is no such row.
 */
static int end_of_line(const struct stat_rows *rows, int first)
{
	int end = first + 1;

	while (end < rows->nr && same_line(&rows->rows[first], &rows->rows[end]))
		end++;
	return end;
}

static void add_name(const struct stat_row *row, const struct row_metric *metric,
		     struct strbuf *name)
{
	strbuf__reset(name);
	if (!strncmp(metric->unit, "of all", strlen("of all")) || !strcmp(metric->unit, "per run"))
		strbuf__addf(name, "%s ", row->event);
	strbuf__adds(name, metric->unit);
}

/*
 * Returns metric_column.number for a new column with this @name and @asked_for. If @asked_for is
 * true, the new column is numbered before the columns with this name whose `asked_for` is false, so
 * the function increments their numbers.
 */
static int next_number(struct metric_columns *columns, const char *name, bool asked_for)
{
	int number = 1;

	for (int i = 0; i < columns->nr; i++) {
		struct metric_column *column = &columns->columns[i];

		if (strcmp(column->name, name))
			continue;
		if (asked_for && !column->asked_for)
			column->number++;
		else
			number++;
	}
	return number;
}

/*
 * Returns the first column with this @name and @asked_for that has no metric in the current line,
 * or a new column if there is none. Returns NULL if memory ran out.
 */
static struct metric_column *take(struct metric_columns *columns, const char *name, bool asked_for)
{
	struct metric_column *bigger, *column;
	int number;

	for (int i = 0; i < columns->nr; i++) {
		column = &columns->columns[i];
		if (!column->metric && column->asked_for == asked_for &&
		    !strcmp(column->name, name))
			return column;
	}
	bigger = realloc(columns->columns, sizeof(*bigger) * ((size_t)columns->nr + 1));
	if (!bigger)
		return NULL;
	columns->columns = bigger;
	column = &bigger[columns->nr];
	number = next_number(columns, name, asked_for);
	*column = (struct metric_column){ .name = strdup(name),
					  .asked_for = asked_for,
					  .number = number };
	if (!column->name)
		return NULL;
	columns->nr++;
	return column;
}

/* Stores the metrics of a line in the columns. Returns false if memory ran out. */
static bool fill(struct metric_columns *columns, const struct stat_rows *rows, int first, int end)
{
	struct strbuf name = STRBUF_INIT;
	bool ok = true;

	for (int i = 0; i < columns->nr; i++)
		columns->columns[i].metric = NULL;
	for (int i = first; ok && i < end; i++) {
		const struct stat_row *row = &rows->rows[i];

		for (int j = 0; ok && j < row->nr_metrics; j++) {
			struct metric_column *column;

			if (!is_column(&row->metrics[j]))
				continue;
			add_name(row, &row->metrics[j], &name);
			column = strbuf__failed(&name) ?
					 NULL :
					 take(columns, name.text, row->metrics[j].asked_for);
			ok = column != NULL;
			if (ok)
				column->metric = &row->metrics[j];
		}
	}
	strbuf__free(&name);
	return ok;
}

static void forget_missing(struct metric_columns *columns)
{
	for (int i = 0; i < columns->nr; i++)
		if (columns->columns[i].metric && !columns->columns[i].metric->has_value)
			columns->columns[i].metric = NULL;
}

void metric_only__add(struct output_state *state, const struct stat_rows *rows, bool heading)
{
	const struct output_format *format = state->config.format;
	struct metric_columns columns = { 0 };
	bool ok = true;

	for (int first = 0, end; ok && first < rows->nr; first = end) {
		end = end_of_line(rows, first);
		ok = fill(&columns, rows, first, end);
	}
	if (ok && heading && format->metric_heading)
		format->metric_heading(state, &columns);
	for (int first = 0, end; ok && first < rows->nr; first = end) {
		end = end_of_line(rows, first);
		ok = fill(&columns, rows, first, end);
		forget_missing(&columns);
		if (ok)
			format->metric_line(state, &rows->rows[first], &columns);
	}
	if (!ok)
		state->text.failed = true;
	for (int i = 0; i < columns.nr; i++)
		free(columns.columns[i].name);
	free(columns.columns);
}

bool metric_only__has_values(const struct stat_rows *rows)
{
	for (int i = 0; i < rows->nr; i++)
		for (int j = 0; j < rows->rows[i].nr_metrics; j++)
			if (is_column(&rows->rows[i].metrics[j]) &&
			    rows->rows[i].metrics[j].has_value)
				return true;
	return false;
}
