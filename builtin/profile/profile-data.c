// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the samples in programs as fields or JSON, one line for each row. The first field, or the key "kind", is the
 * type of the line:
 *
 * line	event, share, samples, weight, program's id and name, function, file, line, text, total share, total samples,
 *	total weight
 * total	event, samples, weight, kept, elsewhere, no room, busy, missed, enabled, running, count, self, no stack
 *
 * Without -b, functions or stacks take the place of lines (profile-data-stacks.c). --annotate also prints a line for each
 * piece of the programs' code (profile-data-notes.c). With -I, the time in seconds is the first field.
 */

#include "builtin/profile/profile-data.h"
#include "builtin/profile/profile-fields.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-rows.h"
#include "builtin/profile/profile-view.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"

static void add_totals(const struct profile_view *view, struct strbuf *sb)
{
	for (int event = 0; event < view->rows->nr_events; event++) {
		const struct profile_totals *totals = &view->rows->totals[event];
		const struct profile_figure figures[] = {
			{ "samples", totals->samples }, { "weight", totals->weight },
			{ "kept", totals->kept },	{ "elsewhere", totals->elsewhere },
			{ "no-room", totals->no_room }, { "busy", totals->busy },
			{ "missed", totals->missed },	{ "enabled", totals->enabled },
			{ "running", totals->running }, { "count", totals->count },
			{ "self", totals->self },	{ "no-stack", totals->no_stack },
		};

		profile_fields__figures(view, "total", event, figures, sizeof(figures) / sizeof(figures[0]), sb);
	}
}

/* ---- fields ---- */

static void add_csv_row(const struct profile_view *view, const struct profile_row *row, struct strbuf *sb)
{
	profile_fields__begin(view, "line", row->event, sb);
	profile_fields__sum(view, row->share, &row->self, sb);
	profile_fields__number(view, row->prog_id, sb);
	profile_fields__text(view, row->prog_name, sb);
	profile_fields__text(view, row->func, sb);
	profile_fields__text(view, row->file, sb);
	profile_fields__number(view, row->line, sb);
	profile_fields__text(view, row->text, sb);
	profile_fields__sum(view, row->total_share, &row->total, sb);
	strbuf__addc(sb, '\n');
}

void profile_data__csv(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; i < view->rows->nr; i++)
		add_csv_row(view, &view->rows->rows[i], sb);
	if (view->stacks)
		profile_data_stacks__csv(view, sb);
	profile_data_notes__csv(view, sb);
	add_totals(view, sb);
}

/* ---- JSON ---- */

static void add_json_row(const struct profile_view *view, const struct profile_row *row, struct strbuf *sb)
{
	struct json_writer w;

	profile_fields__begin_json(view, "line", row->event, &w, sb);
	profile_fields__json_self(&w, row->share, &row->self);
	json__uint(&w, "prog-id", row->prog_id);
	json__string(&w, "prog", row->prog_name);
	json__string(&w, "function", row->func);
	json__string(&w, "file", row->file);
	json__uint(&w, "line", row->line);
	json__string(&w, "text", row->text);
	profile_fields__json_total(&w, row->total_share, &row->total);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

void profile_data__json(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; i < view->rows->nr; i++)
		add_json_row(view, &view->rows->rows[i], sb);
	if (view->stacks)
		profile_data_stacks__json(view, sb);
	profile_data_notes__json(view, sb);
	add_totals(view, sb);
}
