// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single runs, a line each. In CSV:
 *
 *	outlier time cpu pid comm id prog value unit event [value unit event]... ["packet" length bytes-in-hex]
 *	outliers all N streamed N suppressed N lost N
 */
#include "util/report/outlier_row.h"

#include <inttypes.h>

#include "util/base/json-writer.h"
#include "util/output/format.h"

#define NSEC_PER_SEC 1000000000U
#define NOT_COUNTED "<not counted>"
#define TIME_WIDTH 16
#define COMM_WIDTH 15
#define PROG_WIDTH 15
#define VALUE_WIDTH 15

static void add_hex(struct strbuf *sb, const struct outlier_row *row)
{
	for (uint32_t i = 0; i < row->packet_bytes; i++)
		strbuf__addf(sb, "%02x", row->packet[i]);
}

static void add_seconds(struct output_state *state, int width, const struct outlier_row *row)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, row->time_ns / NSEC_PER_SEC,
		 row->time_ns % NSEC_PER_SEC);
	strbuf__addf(&state->text, "%*s", width, text);
}

/* ---- for people ---- */

void outlier__add_std_columns(struct output_state *state)
{
	strbuf__addf(&state->text, "#%*s %4s %7s %-*s %6s %-*s %s\n", TIME_WIDTH - 1, "time", "cpu", "pid", COMM_WIDTH,
		     "comm", "id", PROG_WIDTH, "prog", "counts of the run");
}

static void add_padded(struct output_state *state, const char *text, size_t width)
{
	size_t before = state->text.len;

	strbuf__add_clean(&state->text, text);
	while (state->text.len - before < width && !strbuf__failed(&state->text))
		strbuf__addc(&state->text, ' ');
}

static void add_std_count(struct output_state *state, const struct outlier_row_count *count)
{
	if (!count->counted)
		strbuf__addf(&state->text, " %*s", VALUE_WIDTH, NOT_COUNTED);
	else if (state->config.big_num)
		strbuf__addf(&state->text, " %'*" PRIu64, VALUE_WIDTH, count->value);
	else
		strbuf__addf(&state->text, " %*" PRIu64, VALUE_WIDTH, count->value);
	strbuf__adds(&state->text, *count->unit ? " " : "");
	strbuf__add_clean(&state->text, count->unit);
	strbuf__addc(&state->text, ' ');
	strbuf__add_clean(&state->text, count->event);
}

void outlier__add_std(struct output_state *state, const struct outlier_row *row)
{
	add_seconds(state, TIME_WIDTH, row);
	strbuf__addf(&state->text, " %4d %7d ", row->cpu, row->pid);
	add_padded(state, row->comm, COMM_WIDTH);
	strbuf__addf(&state->text, " %6" PRIu32 " ", row->prog_id);
	add_padded(state, row->prog, PROG_WIDTH);
	for (int i = 0; i < row->nr_counts; i++)
		add_std_count(state, &row->counts[i]);
	if (row->has_packet && row->packet_len) {
		strbuf__addf(&state->text, "  packet of %" PRIu32 ": ", row->packet_len);
		add_hex(&state->text, row);
	}
	strbuf__addc(&state->text, '\n');
}

void outlier__add_std_foot(struct output_state *state, const struct outlier_foot *foot)
{
	strbuf__addf(&state->text,
		     " outliers by %s: %" PRIu64 " streamed, %" PRIu64 " suppressed (more than %" PRIu32
		     " a second), %" PRIu64 " lost; %" PRIu64 " in all\n\n",
		     foot->passed, foot->streamed, foot->suppressed, foot->rate, foot->lost, foot->all);
}

/* ---- CSV ---- */

static void add_sep(struct output_state *state)
{
	strbuf__adds(&state->text, state->config.separator);
}

static void add_number(struct output_state *state, uint64_t number)
{
	strbuf__addf(&state->text, "%" PRIu64, number);
	add_sep(state);
}

static void add_csv_count(struct output_state *state, const struct outlier_row_count *count)
{
	add_sep(state);
	if (count->counted)
		strbuf__addf(&state->text, "%" PRIu64, count->value);
	else
		format__csv_field(state, NOT_COUNTED);
	add_sep(state);
	format__csv_field(state, count->unit);
	add_sep(state);
	format__csv_field(state, count->event);
}

void outlier__add_csv(struct output_state *state, const struct outlier_row *row)
{
	format__csv_field(state, "outlier");
	add_sep(state);
	add_seconds(state, 0, row);
	add_sep(state);
	add_number(state, (uint64_t)row->cpu);
	add_number(state, (uint64_t)row->pid);
	format__csv_field(state, row->comm);
	add_sep(state);
	add_number(state, row->prog_id);
	format__csv_field(state, row->prog);
	for (int i = 0; i < row->nr_counts; i++)
		add_csv_count(state, &row->counts[i]);
	if (row->has_packet && row->packet_len) {
		add_sep(state);
		format__csv_field(state, "packet");
		add_sep(state);
		add_number(state, row->packet_len);
		add_hex(&state->text, row);
	}
	strbuf__addc(&state->text, '\n');
}

void outlier__add_csv_foot(struct output_state *state, const struct outlier_foot *foot)
{
	const struct {
		const char *name;
		uint64_t value;
	} all[] = { { "all", foot->all },
		    { "streamed", foot->streamed },
		    { "suppressed", foot->suppressed },
		    { "lost", foot->lost } };

	format__csv_field(state, "outliers");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		add_sep(state);
		format__csv_field(state, all[i].name);
		add_sep(state);
		strbuf__addf(&state->text, "%" PRIu64, all[i].value);
	}
	strbuf__addc(&state->text, '\n');
}

/* ---- JSON ---- */

static void add_json_counts(struct json_writer *w, const struct outlier_row *row)
{
	json__open_array(w, "counts");
	for (int i = 0; i < row->nr_counts; i++) {
		struct json_writer inner;

		json__element_object(w, &inner);
		json__string(&inner, "event", row->counts[i].event);
		json__string(&inner, "unit", row->counts[i].unit);
		if (row->counts[i].counted)
			json__uint(&inner, "value", row->counts[i].value);
		else
			json__string(&inner, "value", NOT_COUNTED);
		json__end(&inner);
	}
	json__close_array(w);
}

static void add_json_packet(struct json_writer *w, const struct outlier_row *row)
{
	struct strbuf hex = STRBUF_INIT;

	add_hex(&hex, row);
	json__uint(w, "packet-length", row->packet_len);
	json__string(w, "packet", hex.text);
	if (strbuf__failed(&hex))
		w->sb->failed = true;
	strbuf__free(&hex);
}

void outlier__add_json(struct output_state *state, const struct outlier_row *row)
{
	struct json_writer w;

	json__begin(&w, &state->text);
	json__string(&w, "outlier", row->passed);
	json__time(&w, "time", row->time_ns / NSEC_PER_SEC, (uint32_t)(row->time_ns % NSEC_PER_SEC));
	json__uint(&w, "cpu", (uint64_t)row->cpu);
	json__uint(&w, "pid", (uint64_t)row->pid);
	json__uint(&w, "tid", (uint64_t)row->tid);
	json__string(&w, "comm", row->comm);
	json__uint(&w, "prog-id", row->prog_id);
	json__string(&w, "prog", row->prog);
	add_json_counts(&w, row);
	if (row->has_packet && row->packet_len)
		add_json_packet(&w, row);
	json__end(&w);
	strbuf__addc(&state->text, '\n');
}

void outlier__add_json_foot(struct output_state *state, const struct outlier_foot *foot)
{
	struct json_writer w;

	json__begin(&w, &state->text);
	json__string(&w, "outliers", foot->passed);
	json__uint(&w, "all", foot->all);
	json__uint(&w, "streamed", foot->streamed);
	json__uint(&w, "suppressed", foot->suppressed);
	json__uint(&w, "lost", foot->lost);
	json__end(&w);
	strbuf__addc(&state->text, '\n');
}
