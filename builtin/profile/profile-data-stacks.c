// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and stacks for programs, a line each:
 *
 *	symbol	event, share, samples, weight, total share, total samples, total weight, object, function, file, line
 *	stack	event, samples, weight, pid, comm, frames: the outermost first, divided by ; (in JSON an array of objects)
 *	stacks	event, collided, no room, failed, cut, unnamed, lost mappings: what is not known of the stacks
 */

#include "builtin/profile/profile-data.h"
#include "builtin/profile/profile-fields.h"
#include "builtin/profile/profile-folded.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-stacks.h"
#include "builtin/profile/profile-view.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/count/profile/profile-stacks.h"

static void add_losses(const struct profile_view *view, struct strbuf *sb)
{
	const struct profile *profile = &view->options->profile;

	for (int event = 0; event < view->stacks->nr_events; event++) {
		struct profile_event sum = view->is_interval ? profile__delta(profile, event) : profile->total[event];
		const struct profile_figure figures[] = {
			{ "collided", sum.stacks.collided },
			{ "no-room", sum.stacks.no_room },
			{ "failed", sum.stacks.failed },
			{ "cut", view->stacks->losses[event].cut },
			{ "unnamed", view->stacks->losses[event].unnamed },
			{ "lost-mappings", profile_stacks__lost_mappings(profile->stacks, view->is_interval) },
		};

		profile_fields__figures(view, "stacks", event, figures, sizeof(figures) / sizeof(figures[0]), sb);
	}
}

/* ---- fields ---- */

static void add_csv_symbol(const struct profile_view *view, const struct symbol_row *row, struct strbuf *sb)
{
	profile_fields__begin(view, "symbol", row->event, sb);
	profile_fields__sum(view, row->share, &row->self, sb);
	profile_fields__sum(view, row->total_share, &row->total, sb);
	profile_fields__text(view, row->name.object, sb);
	profile_fields__text(view, row->name.function ?: "", sb);
	profile_fields__text(view, row->name.file ?: "", sb);
	profile_fields__number(view, (uint64_t)row->name.line, sb);
	strbuf__addc(sb, '\n');
}

static void add_csv_stack(const struct profile_view *view, const struct stack_row *row, struct strbuf *sb)
{
	struct strbuf frames = STRBUF_INIT;

	for (int i = 0; i < row->nr; i++) {
		if (i)
			strbuf__addc(&frames, ';');
		folded__frame(&row->names[i], &frames);
	}
	profile_fields__begin(view, "stack", row->event, sb);
	profile_fields__number(view, row->sum.samples, sb);
	profile_fields__number(view, row->sum.weight, sb);
	profile_fields__number(view, row->pid, sb);
	profile_fields__text(view, row->comm, sb);
	profile_fields__text(view, frames.text, sb);
	strbuf__addc(sb, '\n');
	sb->failed |= strbuf__failed(&frames);
	strbuf__free(&frames);
}

void profile_data_stacks__csv(const struct profile_view *view, struct strbuf *sb)
{
	const struct stack_rows *rows = view->stacks;

	for (int i = 0; view->options->folded && i < rows->nr_stacks; i++)
		add_csv_stack(view, &rows->stacks[i], sb);
	for (int i = 0; !view->options->folded && i < rows->nr_symbols; i++)
		add_csv_symbol(view, &rows->symbols[i], sb);
	add_losses(view, sb);
}

/* ---- JSON ---- */

static void add_name(struct json_writer *w, const struct code_name *name)
{
	json__string(w, "object", name->object);
	json__string(w, "function", name->function ?: "");
	if (!name->file)
		return;
	json__string(w, "file", name->file);
	json__uint(w, "line", (uint64_t)name->line);
}

static void add_json_symbol(const struct profile_view *view, const struct symbol_row *row, struct strbuf *sb)
{
	struct json_writer w;

	profile_fields__begin_json(view, "symbol", row->event, &w, sb);
	profile_fields__json_self(&w, row->share, &row->self);
	profile_fields__json_total(&w, row->total_share, &row->total);
	add_name(&w, &row->name);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

static void add_json_stack(const struct profile_view *view, const struct stack_row *row, struct strbuf *sb)
{
	struct json_writer w, frame;

	profile_fields__begin_json(view, "stack", row->event, &w, sb);
	json__uint(&w, "samples", row->sum.samples);
	json__uint(&w, "weight", row->sum.weight);
	json__uint(&w, "pid", row->pid);
	json__string(&w, "comm", row->comm);
	json__open_array(&w, "frames");
	for (int i = 0; i < row->nr; i++) {
		json__element_object(&w, &frame);
		add_name(&frame, &row->names[i]);
		json__end(&frame);
	}
	json__close_array(&w);
	json__end(&w);
	strbuf__addc(sb, '\n');
}

void profile_data_stacks__json(const struct profile_view *view, struct strbuf *sb)
{
	const struct stack_rows *rows = view->stacks;

	for (int i = 0; view->options->folded && i < rows->nr_stacks; i++)
		add_json_stack(view, &rows->stacks[i], sb);
	for (int i = 0; !view->options->folded && i < rows->nr_symbols; i++)
		add_json_symbol(view, &rows->symbols[i], sb);
	add_losses(view, sb);
}
