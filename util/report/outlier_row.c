// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the rows of --outliers. In CSV, a row has the first of these forms for a run of a BPF
 * program, and the second for a run of a scope. The last row has the third form.
 *
 *	outlier time cpu pid comm id prog value unit event [value unit event]...
 *		["packet" length bytes-in-hex] ["branches" N [from line to line]...]
 *	outlier time cpu pid comm begin tid scope value unit event [value unit event]...
 *		["branches" N [from line to line]...]
 *	outliers all N streamed N suppressed N lost N
 */
#include "util/report/outlier_row.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/number.h"
#include "util/base/strbuf.h"
#include "util/count/outliers.h"
#include "util/event/evsel.h"

static const char *name_of(const struct evsel *evsel)
{
	return evsel ? evsel->name : OUTLIER_TIME;
}

/* Scales the count if the event had no counter for part of the run, unless @no_scale is set. */
static struct outlier_row_count make_count(const struct outlier_count *from, bool no_scale)
{
	const struct reading *reading = &from->reading;
	bool partly = reading->running && reading->running < reading->enabled;

	return (struct outlier_row_count){
		.event = name_of(from->evsel),
		.unit = from->clock ? "ns" : "",
		.value = partly && !no_scale ?
				 number__scale(reading->value, reading->enabled, reading->running) :
				 reading->value,
		.counted = !reading->enabled || reading->running,
	};
}

void outlier_row__free(struct outlier_row *row)
{
	branch_rows__free(&row->branches);
	free(row->counts);
}

int outlier_row__make(struct outlier_row *row, const struct outlier *outlier,
		      const struct outlier_spec *spec, bool no_scale, struct branch_names *names)
{
	*row = (struct outlier_row){
		.time_ns = outlier->time_ns,
		.begin_ns = outlier->begin_ns,
		.cpu = outlier->cpu,
		.pid = outlier->pid,
		.tid = outlier->tid,
		.comm = outlier->comm,
		.scope = outlier->scope,
		.prog_id = outlier->prog_id,
		.prog = outlier->prog,
		.passed = name_of(spec->evsel),
		.counts = calloc((size_t)outlier->nr_counts + 1, sizeof(*row->counts)),
		.nr_counts = outlier->nr_counts,
		.has_packet = spec->packet,
		.packet = outlier->packet,
		.packet_bytes = outlier->packet_bytes,
		.packet_len = outlier->packet_len,
	};
	for (int i = 0; row->counts && i < row->nr_counts; i++)
		row->counts[i] = make_count(&outlier->counts[i], no_scale);
	if (!row->counts)
		return -ENOMEM;
	return names ? branch_rows__make(&row->branches, outlier->branches, outlier->nr_branches,
					 names, outlier->pid, outlier->prog_id) :
		       0;
}

struct outlier_foot outlier_foot__of(const struct outlier_sums *sums,
				     const struct outlier_spec *spec)
{
	return (struct outlier_foot){
		.passed = name_of(spec->evsel),
		.all = sums->passed,
		.streamed = sums->streamed,
		.suppressed = sums->suppressed,
		.lost = sums->lost,
		.rate = spec->rate,
	};
}

/* ---- columns ---- */

static bool is_counted(const void *count)
{
	return ((const struct outlier_row_count *)count)->counted;
}

static bool is_not_counted(const void *count)
{
	return !is_counted(count);
}

static bool is_of_scope(const void *row)
{
	return ((const struct outlier_row *)row)->scope;
}

static bool is_of_prog(const void *row)
{
	return !is_of_scope(row);
}

static bool has_packet(const void *row)
{
	const struct outlier_row *outlier = row;

	return outlier->has_packet && outlier->packet_len;
}

void outlier_row__add_packet(const void *row, struct strbuf *sb)
{
	const struct outlier_row *outlier = row;

	for (uint32_t i = 0; has_packet(row) && i < outlier->packet_bytes; i++)
		strbuf__addf(sb, "%02x", outlier->packet[i]);
}

static const void *nth_count(const void *row, int nr)
{
	const struct outlier_row *outlier = row;

	return nr < outlier->nr_counts ? &outlier->counts[nr] : NULL;
}

#define WORD(outputs, key, text, ...) \
	COLUMN_BY(outputs, key, COLUMN_WORD, .word = (text), __VA_ARGS__)
#define COUNT(outputs, key, member, ...) \
	COLUMN(outputs, key, struct outlier_row_count, member, __VA_ARGS__)

static const struct column count_columns[] = {
	COUNT(IN_CSV, NULL, value, .has = is_counted),
	WORD(IN_CSV, NULL, OUTLIER_NOT_COUNTED, .has = is_not_counted),
	COUNT(IN_JSON, "event", event),
	COUNT(IN_DATA, "unit", unit),
	COUNT(IN_CSV, NULL, event),
	COUNT(IN_JSON, "value", value, .has = is_counted),
	WORD(IN_JSON, "value", OUTLIER_NOT_COUNTED, .has = is_not_counted),
	{ 0 },
};

static const void *nth_branch(const void *row, int nr)
{
	const struct outlier_row *outlier = row;

	return nr < outlier->branches.nr ? &outlier->branches.list[nr] : NULL;
}

static bool has_branches(const void *row)
{
	return ((const struct outlier_row *)row)->branches.nr;
}

#define RUN(outputs, key, member, ...) COLUMN(outputs, key, struct outlier_row, member, __VA_ARGS__)

const struct column outlier_row_columns[] = {
	WORD(IN_CSV, NULL, "outlier"),
	RUN(IN_JSON, "outlier", passed),
	COLUMN_BY(IN_DATA, "time", COLUMN_SECONDS, COLUMN_AT(struct outlier_row, time_ns)),
	RUN(IN_DATA, "cpu", cpu),
	RUN(IN_DATA, "pid", pid),
	RUN(IN_JSON, "tid", tid),
	RUN(IN_DATA, "comm", comm),
	RUN(IN_DATA, "prog-id", prog_id, .has = is_of_prog),
	RUN(IN_DATA, "prog", prog, .has = is_of_prog),
	COLUMN_BY(IN_DATA, "begin", COLUMN_SECONDS, COLUMN_AT(struct outlier_row, begin_ns),
		  .has = is_of_scope),
	RUN(IN_CSV, NULL, tid, .has = is_of_scope),
	RUN(IN_DATA, "scope", scope, .has = is_of_scope),
	COLUMN_BY(IN_DATA, "counts", COLUMN_LIST, .item = nth_count, .items = count_columns),
	WORD(IN_CSV, NULL, "packet", .has = has_packet),
	RUN(IN_DATA, "packet-length", packet_len, .has = has_packet),
	COLUMN_BY(IN_DATA, "packet", COLUMN_MADE, .add = outlier_row__add_packet,
		  .has = has_packet),
	WORD(IN_CSV, NULL, "branches", .has = has_branches),
	RUN(IN_CSV, NULL, branches.nr, .has = has_branches),
	COLUMN_BY(IN_DATA, "branches", COLUMN_LIST, .item = nth_branch, .items = branch_row_columns,
		  .has = has_branches),
	{ 0 },
};

#define SUM(key, member) WORD(IN_CSV, NULL, key), COLUMN(IN_DATA, key, struct outlier_foot, member)

const struct column outlier_foot_columns[] = {
	WORD(IN_CSV, NULL, "outliers"),
	COLUMN(IN_JSON, "outliers", struct outlier_foot, passed),
	SUM("all", all),
	SUM("streamed", streamed),
	SUM("suppressed", suppressed),
	SUM("lost", lost),
	{ 0 },
};
