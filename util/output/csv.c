// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CSV format. A line has the fields below. Only --csv-header adds a heading line.
 *
 *	[time or "summary"] [program's id and name] [scope] [aggregate [number]] value unit event
 *		[cgroup] [noise%] [min max] running percent metric metric-unit
 *
 * "number" is the number of CPUs whose counts were added up. "noise" is the standard error of the
 * mean of several repetitions. "min" and "max" are the smallest and the largest value of these
 * repetitions (--range). "running" is the time in ns during which the event ran on a counter, and
 * "percent" is this time as a percentage of the time during which the event was enabled. If a row
 * has several metrics, each metric after the first one has its own line.
 *
 * A row for a vendor's default metrics (the group Default in the CPU vendor's event files) has no
 * count. In the first line of such a row, a single empty field replaces the fields from value to
 * cgroup, and empty fields follow percent. If the heading of the metrics (usually the name of their
 * group) differs from the previous heading, this line ends with the heading, and the first metric
 * is on the next line. Otherwise, this line ends with the first metric.
 *
 * Below the rows, a histogram (--hist) has a line for each bucket that is not empty:
 *
 *	[time or "summary"] [program's id and name] [scope] runs unit event "hist" low high
 */
#include <inttypes.h>
#include <string.h>

#include "util/base/csv-field.h"
#include "util/base/decimal.h"
#include "util/output/format.h"
#include "util/output/metric-only.h"
#include "util/output/row-writer.h"
#include "util/report/stat_row.h"

/*
 * In the line of an additional metric, the fields between the aggregate and the metric are empty.
 * FIELDS_SKIPPED is the number of separators after value, unit, event, running and percent, not
 * counting the last one, which add_metric() adds. skipped_fields() also counts the separators after
 * the cgroup, min and max. The line of an additional metric has no field for the noise.
 */
#define FIELDS_SKIPPED 4

static void add_sep(struct output_state *state)
{
	strbuf__adds(&state->text, state->config.separator);
}

static void add_field(struct output_state *state, const char *field)
{
	csv_field__add(&state->text, field, state->config.separator);
}

static void add_aggr(struct output_state *state, const struct stat_row *row)
{
	struct strbuf name = STRBUF_INIT;

	aggr_id__add_name(&row->id, &name);
	if (name.len) {
		add_field(state, name.text);
		add_sep(state);
	}
	if (aggr_mode__adds_cpus_up(row->id.mode)) {
		strbuf__addf(&state->text, "%d", row->nr_aggr);
		add_sep(state);
	}
	if (strbuf__failed(&name))
		state->text.failed = true;
	strbuf__free(&name);
}

static void begin_line(struct output_state *state)
{
	if (state->time) {
		strbuf__adds(&state->text, state->time_text);
		add_sep(state);
	} else if (state->config.mark_summary) {
		add_field(state, "summary");
		add_sep(state);
	}
}

static void begin(struct output_state *state, const struct stat_row *row, bool is_metric_line)
{
	if (!is_metric_line || state->time)
		begin_line(state);
	if (row->id.subject_id_column) {
		strbuf__addf(&state->text, "%" PRIu32, row->id.subject_id);
		add_sep(state);
	}
	if (row->id.subject_column) {
		add_field(state, row->id.subject);
		add_sep(state);
	}
	add_aggr(state, row);
}

/*
 * As in perf, adds <not counted> without quotes even if the separator is a space, because scripts
 * that use -x ' ' search for this text.
 */
static void add_count(struct output_state *state, const struct stat_row *row)
{
	switch (row->state) {
	case ROW_COUNTED:
		decimal__add(&state->text, row->value, row->fraction ? 2 : 0);
		break;
	case ROW_NOT_COUNTED:
		strbuf__adds(&state->text, "<not counted>");
		break;
	case ROW_NOT_SUPPORTED:
		strbuf__adds(&state->text, "<not supported>");
		break;
	}
	add_sep(state);
	add_field(state, row->unit);
	add_sep(state);
	add_field(state, row->event);
}

static void add_metric(struct output_state *state, const struct row_metric *metric)
{
	add_sep(state);
	if (metric && metric->has_value)
		decimal__add(&state->text, metric->value, metric->decimals);
	add_sep(state);
	if (metric && (metric->has_value || metric->asked_for))
		add_field(state, metric->unit + strspn(metric->unit, " "));
}

/*
 * Returns the number of separators after the empty fields in the line of an additional metric, not
 * counting the last separator, which add_metric() adds.
 */
static int skipped_fields(const struct output_state *state, const struct stat_row *row)
{
	return FIELDS_SKIPPED + (row->cgroup != NULL) + (state->config.range ? 2 : 0);
}

/* Begins the line of an additional metric. As in perf, this line never begins with "summary". */
static void begin_metric_line(struct output_state *state, const struct stat_row *row)
{
	strbuf__addc(&state->text, '\n');
	begin(state, row, true);
	for (int i = 0; i < skipped_fields(state, row); i++)
		add_sep(state);
}

/*
 * Adds two fields with the smallest and the largest value. The fields are empty if the row has no
 * range.
 */
static void add_range(struct output_state *state, const struct stat_row *row)
{
	int decimals = row->fraction ? 2 : 0;

	add_sep(state);
	if (row->has_range)
		decimal__add(&state->text, row->min, decimals);
	add_sep(state);
	if (row->has_range)
		decimal__add(&state->text, row->max, decimals);
}

static void add_running(struct output_state *state, const struct stat_row *row)
{
	if (state->config.runs > 1) {
		add_sep(state);
		decimal__add(&state->text, row->noise, 2);
		strbuf__addc(&state->text, '%');
	}
	if (state->config.range)
		add_range(state, row);
	add_sep(state);
	strbuf__addf(&state->text, "%" PRIu64, row->running);
	add_sep(state);
	decimal__add(&state->text, format__whole_percent(row), 2);
}

/*
 * Begins a line for metric @i, unless it is the first metric of a row with a count; that metric
 * continues the line of the count. If the metric's heading differs from the last printed heading,
 * adds the metric's heading, and begins another line for the metric's value.
 */
static void add_heading(struct output_state *state, const struct stat_row *row, int i)
{
	const char *heading = format__new_heading(state, &row->metrics[i]);
	int skipped = skipped_fields(state, row) - (heading ? 0 : 2);

	if (i)
		strbuf__addc(&state->text, '\n');
	if (i || row->no_count) {
		begin(state, row, i > 0);
		add_running(state, row);
	}
	for (int field = 0; field < skipped; field++)
		add_sep(state);
	if (!heading)
		return;
	add_field(state, heading);
	begin_metric_line(state, row);
}

static void add_counts(struct output_state *state, const struct stat_row *row)
{
	begin(state, row, false);
	add_count(state, row);
	if (state->config.cgroups) {
		add_sep(state);
		add_field(state, row->cgroup ? row->cgroup : "");
	}
	add_running(state, row);
	if (!row->nr_metrics)
		add_metric(state, NULL);
}

/* Adds the names of the fields before the count, each followed by a separator. */
static void add_left_names(struct output_state *state)
{
	static const char *const words[AGGR_MODE_NR] = {
		[AGGR_NONE] = "cpu",	    [AGGR_SOCKET] = "socket",	[AGGR_DIE] = "die",
		[AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache",	[AGGR_CORE] = "core",
		[AGGR_NODE] = "node",	    [AGGR_THREAD] = "comm-pid",
	};
	enum aggr_mode mode = state->config.aggr_mode;
	const char *fields[] = {
		state->time ? "time" : NULL,
		state->config.subject_id_column,
		state->config.subject_column,
		words[mode],
		aggr_mode__adds_cpus_up(mode) ? "cpus" : NULL,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!fields[i])
			continue;
		add_field(state, fields[i]);
		add_sep(state);
	}
}

/*
 * Adds the line of --csv-header before the first row. The name `counter-value` and all names after
 * it are also the keys in JSON.
 */
static void add_header(struct output_state *state)
{
	static const char *const right[] = { "event-runtime", "pcnt-running", "metric-value",
					     "metric-unit" };

	if (!state->time && state->config.mark_summary) {
		add_field(state, "summary");
		add_sep(state);
	}
	add_left_names(state);
	add_field(state, "counter-value");
	add_sep(state);
	add_field(state, "unit");
	add_sep(state);
	add_field(state, "event");
	if (state->config.cgroups) {
		add_sep(state);
		add_field(state, "cgroup");
	}
	if (state->config.runs > 1) {
		add_sep(state);
		add_field(state, "variance");
	}
	if (state->config.range) {
		add_sep(state);
		add_field(state, "counter-min");
		add_sep(state);
		add_field(state, "counter-max");
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		add_sep(state);
		add_field(state, right[i]);
	}
	strbuf__addc(&state->text, '\n');
}

static void csv_row(struct output_state *state, const struct stat_row *row)
{
	if (state->config.csv_header && !state->has_header)
		add_header(state);
	state->has_header = true;
	if (!row->no_count)
		add_counts(state, row);
	for (int i = 0; i < row->nr_metrics; i++) {
		if (row->metrics[i].only_text)
			continue;
		if (format__begins_heading(row, i))
			add_heading(state, row, i);
		else if (i)
			begin_metric_line(state, row);
		add_metric(state, &row->metrics[i]);
	}
	strbuf__addc(&state->text, '\n');
}

static void csv_data(struct output_state *state, const struct column *columns, const void *row,
		     bool has_time)
{
	if (has_time)
		begin_line(state);
	row_writer__add_csv(&state->text, state->config.separator, columns, row);
	strbuf__addc(&state->text, '\n');
}

/* ---- --metric-only: each field ends with a separator, even the last one of a line ---- */

static void csv_metric_heading(struct output_state *state, const struct metric_columns *columns)
{
	add_left_names(state);
	if (state->config.cgroups) {
		add_field(state, "cgroup");
		add_sep(state);
	}
	for (int i = 0; i < columns->nr; i++) {
		add_field(state, columns->columns[i].name);
		add_sep(state);
	}
	strbuf__addc(&state->text, '\n');
}

static void csv_metric_line(struct output_state *state, const struct stat_row *first,
			    const struct metric_columns *columns)
{
	begin(state, first, false);
	if (state->config.cgroups) {
		add_field(state, first->cgroup ? first->cgroup : "");
		add_sep(state);
	}
	for (int i = 0; i < columns->nr; i++) {
		const struct row_metric *metric = columns->columns[i].metric;

		if (metric)
			decimal__add(&state->text, metric->value, metric->decimals);
		add_sep(state);
	}
	strbuf__addc(&state->text, '\n');
}

const struct output_format output_csv = {
	.has_comments = true,
	.row = csv_row,
	.data = csv_data,
	.metric_heading = csv_metric_heading,
	.metric_line = csv_metric_line,
};
