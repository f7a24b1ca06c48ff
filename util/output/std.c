// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text format: columns, numbers formatted for the locale, and '?' in place of control
 * characters.
 */
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/output/format.h"
#include "util/output/metric-only.h"
#include "util/output/std-frame.h"
#include "util/report/stat_row.h"

#define TIME_WIDTH 16
#define COUNT_WIDTH 18
#define EVENT_WIDTH 32
#define CGROUP_WIDTH 16
#define METRIC_WIDTH 38
#define COMM_WIDTH 16
#define TID_WIDTH 7
#define NUMBER_WIDTH 4
#define PROG_ID_WIDTH 6
#define COLUMN_WIDTH 20	 /* used with --metric-only */
#define NO_AGGR_INDENT 8 /* with -A: extra indentation of lines that contain only a metric */
#define COUNTS_WIDTH 49	 /* width of a metric's heading, or of the spaces in its place */

/* The column that names the aggregate of a row (its CPU, core, ...): width and heading. */
static const struct {
	int width;
	const char *word;
} aggr_columns[AGGR_MODE_NR] = {
	[AGGR_NONE] = { 6, "cpu" },	[AGGR_SOCKET] = { 6, "socket" },
	[AGGR_DIE] = { 12, "die" },	[AGGR_CLUSTER] = { 20, "cluster" },
	[AGGR_CACHE] = { 22, "cache" }, [AGGR_CORE] = { 18, "core" },
	[AGGR_NODE] = { 6, "node" },
};

static const char *const level_colors[] = {
	[METRIC_PLAIN] = "",	      [METRIC_NOTABLE] = "\033[33m", [METRIC_HIGH] = "\033[35m",
	[METRIC_SEVERE] = "\033[31m", [METRIC_GOOD] = "\033[32m",    [METRIC_BAD] = "\033[31m",
};

#define NO_VALUE "none"
#define COLOR_END "\033[m"

/* Adds left-aligned text. Does not truncate text that is longer than @width. */
static void add_left(struct output_state *state, const char *text, size_t width)
{
	size_t start = state->text.len, len;

	strbuf__add_clean(&state->text, text);
	len = state->text.len - start;
	strbuf__add_spaces(&state->text, len < width ? width - len : 0);
}

/* Adds @text right-aligned, without truncating it. @text must not contain control characters. */
static void add_right(struct output_state *state, const char *text, size_t width)
{
	size_t len = strlen(text);

	strbuf__add_spaces(&state->text, len < width ? width - len : 0);
	strbuf__add(&state->text, text, len);
}

/* ---- the aggregate ---- */

static void add_thread(struct output_state *state, const struct stat_row *row)
{
	struct strbuf comm = STRBUF_INIT;

	strbuf__add_clean(&comm, row->id.comm);
	strbuf__addf(&state->text, "%*s-%-*d ", COMM_WIDTH, comm.text, TID_WIDTH, row->id.tid);
	if (strbuf__failed(&comm))
		state->text.failed = true;
	strbuf__free(&comm);
}

static void add_aggr(struct output_state *state, const struct stat_row *row)
{
	enum aggr_mode mode = row->id.percore ? AGGR_CORE : row->id.mode;
	struct strbuf name = STRBUF_INIT;

	aggr_id__add_name(&row->id, &name);
	if (name.len)
		strbuf__addf(&state->text, "%-*s ", aggr_columns[mode].width, name.text);
	if (aggr_mode__adds_cpus_up(row->id.mode))
		strbuf__addf(&state->text, "%*d ", NUMBER_WIDTH, row->nr_aggr);
	if (strbuf__failed(&name))
		state->text.failed = true;
	strbuf__free(&name);
}

static void begin(struct output_state *state, const struct stat_row *row)
{
	if (state->time) {
		add_right(state, state->time_text, TIME_WIDTH);
		strbuf__addc(&state->text, ' ');
	}
	if (row->id.subject_id_column)
		strbuf__addf(&state->text, "%*" PRIu32 " ", PROG_ID_WIDTH, row->id.subject_id);
	if (row->id.subject_column) {
		add_left(state, row->id.subject, (size_t)state->prog_width);
		strbuf__addc(&state->text, ' ');
	}
	(row->id.mode == AGGR_THREAD ? add_thread : add_aggr)(state, row);
}

/* ---- rows ---- */

static void add_value(struct output_state *state, const struct stat_row *row)
{
	bool groups = state->config.big_num && *nl_langinfo(THOUSEP);
	char digits[DECIMAL_DIGITS_MAX];
	size_t nr = groups || row->fraction ? 0 : decimal__digits(row->value, digits);

	if (nr) {
		strbuf__add_spaces(&state->text, COUNT_WIDTH - nr);
		strbuf__add(&state->text, digits, nr);
	} else {
		strbuf__addf(&state->text, groups ? "%'*.*f" : "%*.*f", COUNT_WIDTH,
			     row->fraction ? 2 : 0, row->value);
	}
}

static void add_count(struct output_state *state, const struct stat_row *row)
{
	if (row->state == ROW_NOT_SUPPORTED)
		add_right(state, "<not supported>", COUNT_WIDTH);
	else if (row->state == ROW_NOT_COUNTED)
		add_right(state, "<not counted>", COUNT_WIDTH);
	else
		add_value(state, row);
	strbuf__addc(&state->text, ' ');
	add_left(state, row->unit, (size_t)state->unit_width);
	strbuf__addc(&state->text, ' ');
	add_left(state, row->event, EVENT_WIDTH);
}

/*
 * Adds the value of @metric, or "none" if @metric has no value. Returns the width of the text
 * without colour codes.
 */
static size_t add_figure(struct output_state *state, const struct row_metric *metric)
{
	const char *color = state->config.color && metric->has_value ? level_colors[metric->level] :
								       "";
	struct strbuf *text = &state->text;
	size_t start, width;

	strbuf__adds(text, color);
	start = text->len;
	if (metric->has_value)
		strbuf__addf(text, "%*.*f", metric->width, metric->decimals, metric->value);
	else
		strbuf__addf(text, "%*s", metric->width, NO_VALUE);
	if (metric->has_value && metric->suffix)
		strbuf__addc(text, metric->suffix);
	width = text->len - start;
	strbuf__adds(text, *color ? COLOR_END : "");
	return width;
}

static int figure_width(const struct row_metric *metric)
{
	if (!metric->has_value)
		return metric->width;
	return snprintf(NULL, 0, "%*.*f", metric->width, metric->decimals, metric->value) +
	       (metric->suffix != '\0');
}

static void add_metric(struct output_state *state, const struct row_metric *metric)
{
	size_t used;

	if (!metric || (!metric->has_value && !metric->asked_for)) {
		strbuf__add_spaces(&state->text, METRIC_WIDTH);
		return;
	}
	strbuf__adds(&state->text, " # ");
	used = strlen(" # ") + add_figure(state, metric) + 1;
	strbuf__addc(&state->text, ' ');
	add_left(state, metric->unit, used < METRIC_WIDTH ? METRIC_WIDTH - used : 0);
}

static void begin_metric_line(struct output_state *state, const struct stat_row *row)
{
	strbuf__addc(&state->text, '\n');
	begin(state, row);
	if (row->id.mode == AGGR_NONE)
		strbuf__add_spaces(&state->text, NO_AGGR_INDENT);
	strbuf__add_spaces(&state->text, COUNTS_WIDTH);
}

static void add_running(struct output_state *state, const struct stat_row *row)
{
	if (row->enabled && row->running != row->enabled)
		strbuf__addf(&state->text, "  (%.2f%%)",
			     100.0 * (double)row->running / (double)row->enabled);
}

static void add_cgroup(struct output_state *state, const struct stat_row *row)
{
	if (!state->config.cgroups)
		return;
	strbuf__addc(&state->text, ' ');
	add_left(state, row->cgroup ? row->cgroup : "", CGROUP_WIDTH);
}

/*
 * Adds the heading of metric @i, or spaces if the last printed heading was the same. On the line of
 * a count, the heading follows the event. On all other lines, the heading replaces the count and
 * the event.
 */
static void add_heading(struct output_state *state, const struct stat_row *row, int i)
{
	const char *heading = format__new_heading(state, &row->metrics[i]);
	size_t start;

	if (i)
		strbuf__addc(&state->text, '\n');
	if (i || row->no_count)
		begin(state, row);
	start = state->text.len;
	if (heading)
		strbuf__addf(&state->text, " %*s", EVENT_WIDTH, heading);
	add_left(state, "",
		 start + COUNTS_WIDTH > state->text.len ? start + COUNTS_WIDTH - state->text.len :
							  0);
}

static void add_counts(struct output_state *state, const struct stat_row *row)
{
	begin(state, row);
	add_count(state, row);
	add_cgroup(state, row);
	if (!row->nr_metrics)
		add_metric(state, NULL);
}

static void std_row(struct output_state *state, const struct stat_row *row)
{
	if (!row->no_count)
		add_counts(state, row);
	for (int i = 0; i < row->nr_metrics; i++) {
		if (format__begins_heading(row, i))
			add_heading(state, row, i);
		else if (i)
			begin_metric_line(state, row);
		add_metric(state, &row->metrics[i]);
	}
	if (state->config.runs > 1 && row->noise != 0.0)
		strbuf__addf(&state->text, "  ( +-%6.2f%% )", row->noise);
	if (state->config.range && row->has_range)
		std_frame__add_range(state, row->min, row->max, row->fraction ? 2 : 0);
	add_running(state, row);
	strbuf__addc(&state->text, '\n');
}

/* ---- metrics only ---- */

/*
 * Returns the width of the column. As in perf, if the name is longer than COLUMN_WIDTH, the column
 * is one character wider than the name.
 */
static size_t column_width(const struct metric_column *column)
{
	size_t len = strlen(column->name);

	return len > COLUMN_WIDTH ? len + 1 : COLUMN_WIDTH;
}

/*
 * Returns how much wider the column is because of colour codes that are not printed. Like perf,
 * pstat reserves room for the codes of each value that can have a colour, printed or not.
 */
static size_t color_width(const struct output_state *state, const struct row_metric *metric)
{
	const char *color = level_colors[metric->level];

	if (*color)
		return state->config.color ? 0 : strlen(color) + strlen(COLOR_END);
	return metric->suffix == '%' ? strlen(COLOR_END) : 0;
}

static void std_metric_heading(struct output_state *state, const struct metric_columns *columns)
{
	enum aggr_mode mode = state->config.aggr_mode;

	strbuf__addc(&state->text, ' ');
	if (!state->time) {
		if (state->config.subject_id_column)
			strbuf__add_spaces(&state->text, PROG_ID_WIDTH + 1);
		if (state->config.subject_column)
			strbuf__add_spaces(&state->text, (size_t)state->prog_width + 1);
		strbuf__add_spaces(&state->text, mode == AGGR_THREAD ?
							 COMM_WIDTH :
							 (size_t)aggr_columns[mode].width);
		if (state->config.cgroups)
			strbuf__add_spaces(&state->text, CGROUP_WIDTH + 1);
	}
	for (int i = 0; i < columns->nr; i++) {
		size_t len = strlen(columns->columns[i].name);

		strbuf__add_spaces(&state->text, len < COLUMN_WIDTH ? COLUMN_WIDTH - len : 0);
		strbuf__add_clean(&state->text, columns->columns[i].name);
		strbuf__addc(&state->text, ' ');
	}
	strbuf__addc(&state->text, '\n');
}

static void std_metric_line(struct output_state *state, const struct stat_row *first,
			    const struct metric_columns *columns)
{
	begin(state, first);
	add_cgroup(state, first);
	for (int i = 0; i < columns->nr; i++) {
		const struct metric_column *column = &columns->columns[i];
		size_t width = column_width(column),
		       len = column->metric ? (size_t)figure_width(column->metric) : 0;

		if (column->metric)
			width += color_width(state, column->metric);
		strbuf__add_spaces(&state->text, len < width ? width - len : 0);
		if (column->metric)
			add_figure(state, column->metric);
		strbuf__addc(&state->text, ' ');
	}
	strbuf__addc(&state->text, '\n');
}

/* ---- columns, notes ---- */

static void std_columns(struct output_state *state)
{
	enum aggr_mode mode = state->config.aggr_mode;

	strbuf__addf(&state->text, "#%*s", TIME_WIDTH - 1, "time");
	if (state->config.subject_id_column)
		strbuf__addf(&state->text, " %*s", PROG_ID_WIDTH, "id");
	if (state->config.subject_column)
		strbuf__addf(&state->text, " %-*s", state->prog_width,
			     state->config.subject_column);
	if (mode == AGGR_THREAD)
		strbuf__addf(&state->text, " %*s-%-*s", COMM_WIDTH, "comm", TID_WIDTH, "pid");
	else if (mode != AGGR_GLOBAL)
		strbuf__addf(&state->text, " %-*s", aggr_columns[mode].width,
			     aggr_columns[mode].word);
	if (aggr_mode__adds_cpus_up(mode))
		strbuf__adds(&state->text, " cpus");
	if (!state->config.metric_only)
		strbuf__addf(&state->text, " %*s %*s events\n", COUNT_WIDTH, "counts",
			     state->unit_width, "unit");
}

static void std_note(struct output_state *state, const char *text)
{
	strbuf__adds(&state->text, " # ");
	strbuf__add_clean(&state->text, text);
	strbuf__addc(&state->text, '\n');
}

const struct output_format output_std = {
	.has_comments = true,
	.head = std_frame__head,
	.columns = std_columns,
	.row = std_row,
	.foot = std_frame__foot,
	.note = std_note,
	.metric_heading = std_metric_heading,
	.metric_line = std_metric_line,
};
