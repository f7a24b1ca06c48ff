// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-notes.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile.h"
#include "util/machine/bpf-prog-code.h"

/* An address of the current event and program: either sampled itself, or a call to the code that was sampled. */
struct spot {
	struct profile_place place;
	struct sample_sum sum;
};

/* What is looked at: one event, one program. */
struct view {
	const struct profile *profile;
	bool delta;
	int event, prog;
	uint64_t kept; /* weight, of the event */
	const struct bpf_code *code;
	uint32_t nr_spots;
	struct spot *spots; /* sorted by address; has room for all */
	struct profile_notes *notes;
};

static struct profile_note *add_note(struct view *v, enum profile_note_kind kind, int func)
{
	struct profile_notes *notes = v->notes;
	struct profile_note *bigger = notes->notes;

	if (!(notes->nr & (notes->nr - 1))) /* it is full at each power of two */
		bigger = realloc(bigger, sizeof(*bigger) * (size_t)(notes->nr ? notes->nr * 2 : 1));
	if (!bigger) {
		notes->failed = true;
		return NULL;
	}
	notes->notes = bigger;
	bigger[notes->nr] = (struct profile_note){
		.kind = kind, .event = v->event, .prog = v->prog, .func = func, .file = "", .text = ""
	};
	return &bigger[notes->nr++];
}

/* Adds @spot to @note. @is_first: no inner frame has already counted these samples in the note's total. */
static void add_spot(struct profile_note *note, const struct spot *spot, bool is_first)
{
	if (spot->place.is_self)
		sample_sum__add(&note->self, &spot->sum);
	if (is_first)
		sample_sum__add(&note->total, &spot->sum);
}

/* ---- a function with source ---- */

static int by_source(const void *left, const void *right)
{
	const struct profile_note *a = left, *b = right;

	return strcmp(a->file, b->file) ?: a->line < b->line ? -1 : a->line > b->line;
}

/* Of the notes from @first on, those of one line become one. */
static void merge_lines(struct profile_notes *notes, int first)
{
	int kept = first;

	qsort(notes->notes + first, (size_t)(notes->nr - first), sizeof(*notes->notes), by_source);
	for (int i = first; i < notes->nr; i++) {
		const struct profile_note *note = &notes->notes[i];

		if (kept > first && !by_source(&notes->notes[kept - 1], note)) {
			sample_sum__add(&notes->notes[kept - 1].self, &note->self);
			sample_sum__add(&notes->notes[kept - 1].total, &note->total);
		} else {
			notes->notes[kept++] = *note;
		}
	}
	notes->nr = kept;
}

static void sum_line(const struct view *v, int line, struct profile_note *note)
{
	for (uint32_t i = 0; i < v->nr_spots; i++)
		if (v->spots[i].place.line == line)
			add_spot(note, &v->spots[i], v->spots[i].place.is_first_line);
}

static void add_source(struct view *v, int func)
{
	int first = v->notes->nr;

	for (uint32_t i = 0; !v->notes->failed && i < v->code->nr_lines; i++) {
		const struct bpf_code_line *line = &v->code->lines[i];
		struct profile_note *note = line->func == (uint32_t)func ? add_note(v, NOTE_SOURCE, func) : NULL;

		if (!note)
			continue;
		note->file = line->file;
		note->text = line->text;
		note->line = line->line;
		sum_line(v, (int)i, note);
	}
	if (!v->notes->failed)
		merge_lines(v->notes, first);
}

/* ---- and one without ---- */

/* The instructions that @line stands for. Which of them a sample belongs to is not known: it is put to the first. */
static void add_insns(struct view *v, int func, uint32_t first, uint32_t nr, int line)
{
	for (uint32_t i = 0; i < nr && first + i < v->code->nr_insns; i++) {
		struct profile_note *note = add_note(v, NOTE_INSN, func);

		if (!note)
			return;
		note->insn = first + i;
		if (!i && line >= 0)
			sum_line(v, line, note);
		if (v->code->insns[first + i].code == (BPF_LD | BPF_IMM | BPF_DW))
			i++; /* it has two slots */
	}
}

static void add_code(struct view *v, int func)
{
	struct profile_note *note = NULL;
	uint64_t last = 0;

	for (uint32_t i = 0; i < v->nr_spots; i++) {
		const struct profile_place *at = &v->spots[i].place;

		if (at->func != func || at->line >= 0)
			continue;
		if (!note || at->ip != last)
			note = add_note(v, NOTE_CODE, func);
		if (!note)
			return;
		last = at->ip;
		note->insn = (uint32_t)(at->ip - v->code->funcs[func].addr);
		add_spot(note, &v->spots[i], at->is_first_line);
	}
}

static bool has_lines(const struct bpf_code *code, int func, bool with_text)
{
	for (uint32_t i = 0; i < code->nr_lines; i++)
		if (code->lines[i].func == (uint32_t)func && (!with_text || *code->lines[i].text))
			return true;
	return false;
}

static void add_func(struct view *v, int func)
{
	const struct bpf_code_func *at = &v->code->funcs[func];
	struct profile_note *head = add_note(v, NOTE_FUNC, func);

	for (uint32_t i = 0; head && i < v->nr_spots; i++)
		if (v->spots[i].place.func == func)
			add_spot(head, &v->spots[i], v->spots[i].place.is_first_func);
	if (has_lines(v->code, func, true)) {
		add_source(v, func);
		return;
	}
	for (uint32_t i = 0; i < v->code->nr_lines; i++)
		if (v->code->lines[i].func == (uint32_t)func)
			add_insns(v, func, v->code->lines[i].insn, v->code->lines[i].nr_insns, (int)i);
	if (!has_lines(v->code, func, false))
		add_insns(v, func, at->insn, at->nr_insns, -1);
	add_code(v, func);
}

/* ---- all of it ---- */

static void collect_spots(struct view *v)
{
	const struct sample_table *samples = v->profile->samples;

	v->nr_spots = 0;
	v->kept = 0;
	for (uint32_t i = 0; i < sample_table__nr(samples); i++) {
		const struct profile_frames *frames = sample_table__key(samples, i);
		struct sample_sum sum = (v->delta ? sample_table__delta : sample_table__total)(samples, i);
		struct profile_place places[PROFILE_MOST_FRAMES];
		int nr;

		if ((int)frames->event != v->event || !sum.samples)
			continue;
		v->kept += sum.weight;
		nr = profile_progs__locate(v->profile->progs, frames, places);
		for (int place = 0; place < nr; place++)
			if (places[place].prog == v->prog)
				v->spots[v->nr_spots++] = (struct spot){ .place = places[place], .sum = sum };
	}
}

static int by_ip(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->place.ip < b->place.ip ? -1 : a->place.ip > b->place.ip;
}

static void add_prog(struct view *v)
{
	struct profile_prog prog = profile_progs__at(v->profile->progs, v->prog);
	int first = v->notes->nr;

	collect_spots(v);
	if (!v->nr_spots)
		return;
	qsort(v->spots, v->nr_spots, sizeof(*v->spots), by_ip);
	v->code = prog.code;
	for (int func = 0; func < (int)prog.code->nr_funcs; func++)
		if (prog.func < 0 || prog.func == func)
			add_func(v, func);
	for (int i = first; i < v->notes->nr; i++) {
		struct profile_note *note = &v->notes->notes[i];

		note->share = sample_sum__percent(&note->self, v->kept);
		note->total_share = sample_sum__percent(&note->total, v->kept);
	}
}

int profile_notes__make(const struct profile *profile, bool delta, struct profile_notes *notes)
{
	struct view v = { .profile = profile, .delta = delta, .notes = notes };

	*notes = (struct profile_notes){ 0 };
	v.spots = calloc((size_t)sample_table__nr(profile->samples) * PROFILE_MOST_FRAMES + 1, sizeof(*v.spots));
	if (!v.spots)
		return -ENOMEM;
	for (v.event = 0; v.event < profile->nr_events; v.event++)
		for (v.prog = 0; v.prog < profile_progs__nr(profile->progs); v.prog++)
			add_prog(&v);
	free(v.spots);
	if (!notes->failed)
		return 0;
	profile_notes__free(notes);
	return -ENOMEM;
}

void profile_notes__free(struct profile_notes *notes)
{
	free(notes->notes);
	*notes = (struct profile_notes){ 0 };
}
