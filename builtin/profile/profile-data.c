// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for programs, as fields or JSON, a line each. The first word, or the key "kind", tells what a line is:
 *
 *	line	event, share, samples, weight, program's id and name, function, file, line, text
 *	total	event, samples, weight, kept, elsewhere, no room, busy, missed, enabled, running, count
 *
 * without -b in place of lines functions or stacks (profile-stacks-data.c);
 * and with --annotate, a line for each piece of the programs' code (profile-data-notes.c).
 * With -I the time, in seconds, stands before that.
 */
#include <inttypes.h>
#include <string.h>

#include "builtin/profile/profile-data.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-print.h"
#include "builtin/profile/profile-rows.h"
#include "builtin/profile/profile-stacks-print.h"
#include "util/base/clock.h"
#include "util/base/decimal.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

static const char *event_name(const struct profile_view *view, int event)
{
	return view->options->stat.evlist->entries[event]->name;
}

/* The figures of struct profile_totals, with their names. */
#define NR_TOTALS 10
static void list_totals(const struct profile_totals *totals, const char **names, uint64_t *values)
{
	const struct {
		const char *name;
		uint64_t value;
	} all[NR_TOTALS] = {
		{ "samples", totals->samples },	    { "weight", totals->weight },   { "kept", totals->kept },
		{ "elsewhere", totals->elsewhere }, { "no-room", totals->no_room }, { "busy", totals->busy },
		{ "missed", totals->missed },	    { "enabled", totals->enabled }, { "running", totals->running },
		{ "count", totals->count },
	};

	for (int i = 0; i < NR_TOTALS; i++) {
		names[i] = all[i].name;
		values[i] = all[i].value;
	}
}

/* ---- fields ---- */

void profile_data__field(const struct profile_view *view, const char *field, struct strbuf *sb)
{
	const char *sep = view->options->stat.csv_separator;

	strbuf__adds(sb, sep);
	if (!strpbrk(field, "\"\r\n") && !strstr(field, sep)) {
		strbuf__adds(sb, field);
		return;
	}
	strbuf__addc(sb, '"');
	for (; *field; field++) {
		if (*field == '"')
			strbuf__addc(sb, '"');
		strbuf__addc(sb, *field);
	}
	strbuf__addc(sb, '"');
}

void profile_data__number(const struct profile_view *view, uint64_t number, struct strbuf *sb)
{
	strbuf__addf(sb, "%s%" PRIu64, view->options->stat.csv_separator, number);
}

void profile_data__line(const struct profile_view *view, const char *kind, int event, struct strbuf *sb)
{
	if (view->is_interval)
		strbuf__addf(sb, "%" PRIu64 ".%09" PRIu64 "%s", (uint64_t)(view->time_ns / NSEC_PER_SEC),
			     (uint64_t)(view->time_ns % NSEC_PER_SEC), view->options->stat.csv_separator);
	strbuf__adds(sb, kind);
	profile_data__field(view, event_name(view, event), sb);
}

static void add_csv_row(const struct profile_view *view, const struct profile_row *row, struct strbuf *sb)
{
	profile_data__line(view, "line", row->event, sb);
	strbuf__adds(sb, view->options->stat.csv_separator);
	decimal__add(sb, row->share, 2);
	profile_data__number(view, row->sum.samples, sb);
	profile_data__number(view, row->sum.weight, sb);
	profile_data__number(view, row->prog_id, sb);
	profile_data__field(view, row->prog_name, sb);
	profile_data__field(view, row->func, sb);
	profile_data__field(view, row->file, sb);
	profile_data__number(view, row->line, sb);
	profile_data__field(view, row->text, sb);
	strbuf__addc(sb, '\n');
}

static void add_csv_totals(const struct profile_view *view, int event, struct strbuf *sb)
{
	const char *names[NR_TOTALS];
	uint64_t values[NR_TOTALS];

	list_totals(&view->rows->totals[event], names, values);
	profile_data__line(view, "total", event, sb);
	for (int i = 0; i < NR_TOTALS; i++)
		profile_data__number(view, values[i], sb);
	strbuf__addc(sb, '\n');
}

void profile_print__csv(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; i < view->rows->nr; i++)
		add_csv_row(view, &view->rows->rows[i], sb);
	if (view->stacks)
		profile_stacks_print__csv(view, sb);
	profile_data__csv_notes(view, sb);
	for (int event = 0; event < view->rows->nr_events; event++)
		add_csv_totals(view, event, sb);
}

/* ---- JSON ---- */

void profile_data__object(const struct profile_view *view, const char *kind, int event, struct json_writer *w,
			  struct strbuf *sb)
{
	json__begin(w, sb);
	if (view->is_interval)
		json__time(w, "interval", view->time_ns / NSEC_PER_SEC, (uint32_t)(view->time_ns % NSEC_PER_SEC));
	json__string(w, "kind", kind);
	json__string(w, "event", event_name(view, event));
}

static void add_json_row(const struct profile_view *view, const struct profile_row *row, struct strbuf *sb)
{
	struct json_writer w;

	profile_data__object(view, "line", row->event, &w, sb);
	json__fixed(&w, "share", row->share, 2);
	json__uint(&w, "samples", row->sum.samples);
	json__uint(&w, "weight", row->sum.weight);
	json__uint(&w, "prog-id", row->prog_id);
	json__string(&w, "prog", row->prog_name);
	json__string(&w, "function", row->func);
	json__string(&w, "file", row->file);
	json__uint(&w, "line", row->line);
	json__string(&w, "text", row->text);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

static void add_json_totals(const struct profile_view *view, int event, struct strbuf *sb)
{
	const char *names[NR_TOTALS];
	uint64_t values[NR_TOTALS];
	struct json_writer w;

	list_totals(&view->rows->totals[event], names, values);
	profile_data__object(view, "total", event, &w, sb);
	for (int i = 0; i < NR_TOTALS; i++)
		json__uint(&w, names[i], values[i]);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

void profile_print__json(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; i < view->rows->nr; i++)
		add_json_row(view, &view->rows->rows[i], sb);
	if (view->stacks)
		profile_stacks_print__json(view, sb);
	profile_data__json_notes(view, sb);
	for (int event = 0; event < view->rows->nr_events; event++)
		add_json_totals(view, event, sb);
}
