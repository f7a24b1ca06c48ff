// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code of the programs for programs, a line each:
 *
 *	function	event, share, samples, weight, program's id and name, function
 *	source		the same, file, line, text
 *	insn		the same as function, number, text
 *	code		the same as function, offset
 */
#include <linux/bpf.h>

#include "builtin/profile/profile-data.h"
#include "builtin/profile/profile-fields.h"
#include "builtin/profile/profile-notes.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-view.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/count/profile/profile-progs.h"
#include "util/machine/bpf-insn.h"
#include "util/machine/bpf-prog-code.h"

static const char *const kinds[] = {
	[NOTE_FUNC] = "function",
	[NOTE_SOURCE] = "source",
	[NOTE_INSN] = "insn",
	[NOTE_CODE] = "code",
};

static struct profile_prog prog_of(const struct profile_view *view, const struct profile_note *note)
{
	return profile_progs__at(view->options->profile.progs, note->prog);
}

static void add_csv(const struct profile_view *view, const struct profile_note *note, struct strbuf *sb)
{
	struct profile_prog prog = prog_of(view, note);
	struct strbuf text = STRBUF_INIT;

	profile_fields__begin(view, kinds[note->kind], note->event, sb);
	profile_fields__sum(view, note->share, &note->self, sb);
	profile_fields__number(view, prog.id, sb);
	profile_fields__text(view, prog.name, sb);
	profile_fields__text(view, prog.code->funcs[note->func].name, sb);
	if (note->kind == NOTE_SOURCE) {
		profile_fields__text(view, note->file, sb);
		profile_fields__number(view, note->line, sb);
		profile_fields__text(view, note->text, sb);
	} else if (note->kind != NOTE_FUNC) {
		profile_fields__number(view, note->insn, sb);
	}
	if (note->kind == NOTE_INSN) {
		bpf_insn__add_text(prog.code->insns, note->insn, prog.code->nr_insns, &text);
		profile_fields__text(view, text.text, sb);
	}
	profile_fields__sum(view, note->total_share, &note->total, sb);
	strbuf__addc(sb, '\n');
	sb->failed |= strbuf__failed(&text);
	strbuf__free(&text);
}

static void add_json(const struct profile_view *view, const struct profile_note *note, struct strbuf *sb)
{
	struct profile_prog prog = prog_of(view, note);
	struct strbuf text = STRBUF_INIT;
	struct json_writer w;

	profile_fields__begin_json(view, kinds[note->kind], note->event, &w, sb);
	profile_fields__json_self(&w, note->share, &note->self);
	json__uint(&w, "prog-id", prog.id);
	json__string(&w, "prog", prog.name);
	json__string(&w, "function", prog.code->funcs[note->func].name);
	if (note->kind == NOTE_SOURCE) {
		json__string(&w, "file", note->file);
		json__uint(&w, "line", note->line);
		json__string(&w, "text", note->text);
	} else if (note->kind == NOTE_INSN) {
		json__uint(&w, "insn", note->insn);
		bpf_insn__add_text(prog.code->insns, note->insn, prog.code->nr_insns, &text);
		json__string(&w, "text", text.text);
	} else if (note->kind == NOTE_CODE) {
		json__uint(&w, "offset", note->insn);
	}
	profile_fields__json_total(&w, note->total_share, &note->total);
	json__end(&w);
	strbuf__addc(sb, '\n');
	sb->failed |= strbuf__failed(&text);
	strbuf__free(&text);
}

void profile_data_notes__csv(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; view->notes && i < view->notes->nr; i++)
		add_csv(view, &view->notes->notes[i], sb);
}

void profile_data_notes__json(const struct profile_view *view, struct strbuf *sb)
{
	for (int i = 0; view->notes && i < view->notes->nr; i++)
		add_json(view, &view->notes->notes[i], sb);
}
