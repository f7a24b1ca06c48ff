// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes each row as a JSON object. If a row has several metrics, each one after the first has its
 * own object.
 */
#include "util/base/json-writer.h"
#include "util/output/format.h"
#include "util/output/metric-only.h"
#include "util/output/row-writer.h"
#include "util/report/stat_row.h"

#define NO_VALUE "none"

static const char *const aggr_keys[AGGR_MODE_NR] = {
	[AGGR_NONE] = "cpu",	    [AGGR_SOCKET] = "socket", [AGGR_DIE] = "die",
	[AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache",   [AGGR_CORE] = "core",
	[AGGR_NODE] = "node",	    [AGGR_THREAD] = "thread",
};

/*
 * Adds the aggregate. The value of the key "cpu" is the number of the CPU, without the prefix
 * "CPU".
 */
static void add_aggr(struct json_writer *w, const struct stat_row *row)
{
	struct strbuf name = STRBUF_INIT;
	const char *key = row->id.percore ? "core" : aggr_keys[row->id.mode];

	if (row->id.mode == AGGR_NONE && !row->id.percore && row->id.cpu >= 0)
		strbuf__addf(&name, "%d", row->id.cpu);
	else
		aggr_id__add_name(&row->id, &name);
	if (key && name.len)
		json__string(w, key, name.text);
	if (aggr_mode__adds_cpus_up(row->id.mode))
		json__uint(w, "aggregate-number", (uint64_t)row->nr_aggr);
	if (strbuf__failed(&name))
		w->sb->failed = true;
	strbuf__free(&name);
}

static void begin_object(struct json_writer *w, struct output_state *state)
{
	json__begin(w, &state->text);
	if (state->time)
		json__time(w, "interval", (uint64_t)state->time->tv_sec,
			   (uint32_t)state->time->tv_nsec);
}

static void begin(struct json_writer *w, struct output_state *state, const struct stat_row *row)
{
	begin_object(w, state);
	if (row->id.subject_id_column)
		json__uint(w, row->id.subject_id_column, row->id.subject_id);
	if (row->id.subject_column)
		json__string(w, row->id.subject_column, row->id.subject);
	add_aggr(w, row);
}

/* Adds the value and the unit of @metric, which is NULL if the row has no metric. */
static void add_metric(struct json_writer *w, const struct row_metric *metric)
{
	if (metric && metric->asked_for && !metric->has_value)
		json__string(w, "metric-value", NO_VALUE);
	else
		json__fixed_string(w, "metric-value",
				   metric && metric->has_value ? metric->value : 0.0, 6);
	json__string(w, "metric-unit", metric ? metric->unit : "");
	if (metric && (metric->level == METRIC_GOOD || metric->level == METRIC_BAD))
		json__string(w, "metric-threshold", metric->level == METRIC_GOOD ? "good" : "bad");
}

static void end(struct json_writer *w)
{
	json__end(w);
	strbuf__addc(w->sb, '\n');
}

static void add_count(struct json_writer *w, const struct stat_row *row)
{
	static const char *const uncounted[] = {
		[ROW_NOT_COUNTED] = "<not counted>",
		[ROW_NOT_SUPPORTED] = "<not supported>",
	};

	if (row->state == ROW_COUNTED)
		json__fixed_string(w, "counter-value", row->value, 6);
	else
		json__string(w, "counter-value", uncounted[row->state]);
	json__string(w, "unit", row->unit);
	json__string(w, "event", row->event);
}

static void add_running(struct json_writer *w, struct output_state *state,
			const struct stat_row *row)
{
	if (state->config.runs > 1)
		json__fixed(w, "variance", row->noise, 2);
	if (state->config.range && row->has_range) {
		json__fixed_string(w, "counter-min", row->min, 6);
		json__fixed_string(w, "counter-max", row->max, 6);
	}
	json__uint(w, "event-runtime", row->running);
	json__fixed(w, "pcnt-running", format__whole_percent(row), 2);
}

static void add_counts(struct json_writer *w, struct output_state *state,
		       const struct stat_row *row)
{
	add_count(w, row);
	if (state->config.cgroups)
		json__string(w, "cgroup", row->cgroup ? row->cgroup : "");
	add_running(w, state, row);
	if (!row->nr_metrics)
		add_metric(w, NULL);
}

/*
 * Adds the fields of add_running(), unless the object already contains them. If the heading of
 * metric @i differs from the last printed heading, adds the heading, ends the object, and begins
 * another object.
 */
static void add_heading(struct json_writer *w, struct output_state *state,
			const struct stat_row *row, int i)
{
	const char *heading = format__new_heading(state, &row->metrics[i]);

	if (i || row->no_count)
		add_running(w, state, row);
	if (!heading)
		return;
	json__string(w, "metricgroup", heading);
	end(w);
	begin(w, state, row);
}

static void json_row(struct output_state *state, const struct stat_row *row)
{
	struct json_writer w;

	begin(&w, state, row);
	if (!row->no_count)
		add_counts(&w, state, row);
	for (int i = 0; i < row->nr_metrics; i++) {
		if (row->metrics[i].only_text)
			continue;
		if (i) {
			end(&w);
			begin(&w, state, row);
		}
		if (format__begins_heading(row, i))
			add_heading(&w, state, row, i);
		add_metric(&w, &row->metrics[i]);
	}
	end(&w);
}

static void json_data(struct output_state *state, const struct column *columns, const void *row,
		      bool has_time)
{
	struct json_writer w;

	/* not needed: state->time is NULL in all cases in which @has_time is false */
	(void)has_time;
	begin_object(&w, state);
	row_writer__add_json(&w, columns, row);
	end(&w);
}

static void json_metric_line(struct output_state *state, const struct stat_row *first,
			     const struct metric_columns *columns)
{
	struct strbuf key = STRBUF_INIT;
	struct json_writer w;
	bool any = false;

	begin(&w, state, first);
	if (state->config.cgroups)
		json__string(&w, "cgroup", first->cgroup ? first->cgroup : "");
	for (int i = 0; i < columns->nr; i++) {
		const struct metric_column *column = &columns->columns[i];

		if (!column->metric)
			continue;
		strbuf__reset(&key);
		strbuf__adds(&key, column->name);
		if (column->number > 1) /* keys must be unique in an object */
			strbuf__addf(&key, " #%d", column->number);
		json__fixed_string(&w, key.text, column->metric->value, column->metric->decimals);
		any = true;
	}
	if (!any)
		json__string(&w, "metric-value", NO_VALUE);
	end(&w);
	if (strbuf__failed(&key))
		state->text.failed = true;
	strbuf__free(&key);
}

const struct output_format output_json = {
	.row = json_row,
	.data = json_data,
	.metric_line = json_metric_line,
};
