// SPDX-License-Identifier: GPL-2.0-only
/* The code of the programs for people: each line with its share, those without samples with none. */
#include <inttypes.h>
#include <linux/bpf.h>
#include <string.h>

#include "builtin/profile/profile-notes.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-print.h"
#include "builtin/profile/profile-view.h"
#include "util/base/strbuf.h"
#include "util/count/profile/profile-progs.h"
#include "util/machine/bpf-insn.h"
#include "util/machine/bpf-prog-code.h"

#define TAB 8

/* Source is indented by tabs, which would end elsewhere here. */
static void add_source_text(const char *text, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	for (; *text; text++) {
		if (*text != '\t')
			strbuf__addc(&line, *text);
		else
			strbuf__addf(&line, "%*s", TAB - (int)(line.len % TAB), "");
	}
	strbuf__add_clean(sb, line.text);
	sb->failed |= strbuf__failed(&line);
	strbuf__free(&line);
}

static void add_share(const struct profile_note *note, struct strbuf *sb)
{
	if (note->total.samples || note->self.samples)
		profile_print__sums(note->total_share, &note->total, note->share, &note->self, sb);
	else
		strbuf__addf(sb, "%40s", "");
}

static void add_note(const struct profile_prog *prog, const struct profile_note *note, struct strbuf *sb)
{
	add_share(note, sb);
	switch (note->kind) {
	case NOTE_FUNC:
		strbuf__adds(sb, "function ");
		strbuf__add_clean(sb, prog->code->funcs[note->func].name);
		break;
	case NOTE_SOURCE:
		strbuf__addf(sb, "%6" PRIu32 "  ", note->line);
		add_source_text(note->text, sb);
		break;
	case NOTE_INSN:
		strbuf__addf(sb, "%6" PRIu32 "  ", note->insn);
		bpf_insn__add_text(prog->code->insns, note->insn, prog->code->nr_insns, sb);
		break;
	case NOTE_CODE:
		strbuf__addf(sb, "%6s  machine code +0x%" PRIx32, "", note->insn);
		break;
	}
	strbuf__addc(sb, '\n');
}

void profile_annotate__add(const struct profile_view *view, int event, struct strbuf *sb)
{
	const struct profile_note *last = NULL;
	const char *file = "";

	for (int i = 0; view->notes && i < view->notes->nr; i++) {
		const struct profile_note *note = &view->notes->notes[i];
		struct profile_prog prog = profile_progs__at(view->options->profile.progs, note->prog);

		if (note->event != event)
			continue;
		if (!last || last->prog != note->prog) {
			strbuf__addf(sb, "%s# program %" PRIu32 " ", last ? "\n" : "", prog.id);
			strbuf__add_clean(sb, prog.name);
			strbuf__addf(sb, "\n%8s  %8s  %8s  %8s  %6s  code\n", "total", "samples", "self", "samples",
				     "line");
		}
		if (note->kind == NOTE_SOURCE && (last->kind == NOTE_FUNC || strcmp(note->file, file) != 0)) {
			file = note->file;
			strbuf__addf(sb, "%48s", "");
			strbuf__add_clean(sb, file);
			strbuf__addc(sb, '\n');
		}
		add_note(&prog, note, sb);
		last = note;
	}
	if (last)
		strbuf__addc(sb, '\n');
}
