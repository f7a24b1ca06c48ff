// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/profile/profile-report.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/measurement.h"
#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile.h"
#include "util/machine/bpf/bpf-insn.h"
#include "util/machine/bpf/bpf-prog-code.h"

/*
 * One frame of an entry of the sample table: an address in a program's code, and the entry's
 * samples. Either the samples were taken at this address, or the sampled code was called from this
 * address.
 */
struct spot {
	struct profile_place place;
	struct sample_sum sum;
};

/* The event and the program whose rows are being made. `nr_prog` is the index of the program. */
struct view {
	struct profile_report *report;
	int event, nr_prog;
	struct profile_prog prog;
	const struct bpf_code *code;
	uint32_t nr_spots;
	struct spot *spots; /* sorted by address; has room for all frames in the sample table */
	bool failed;	    /* out of memory */
};

struct code_row code_row__of(const struct profile_report *report, int event, int prog, int func)
{
	struct profile_prog found = profile_progs__at(report->measurement->profile->progs, prog);

	return (struct code_row){
		.sums.event = profile_report__event(report, event),
		.prog = prog,
		.prog_id = found.id,
		.prog_name = found.name,
		.func = found.code->funcs[func].name,
		.code = found.code,
		.file = "",
		.text = "",
	};
}

static struct code_row *add_row(struct view *v, enum code_row_kind kind, int func)
{
	struct profile_report *report = v->report;
	struct code_row *bigger = report->code;
	int nr = report->nr_code;

	if (!(nr & (nr - 1))) /* 0 or a power of two: the array is full */
		bigger = realloc(bigger, sizeof(*bigger) * (size_t)(nr ? nr * 2 : 1));
	v->failed |= !bigger;
	if (!bigger)
		return NULL;
	report->code = bigger;
	bigger[nr] = code_row__of(report, v->event, v->nr_prog, func);
	bigger[nr].kind = kind;
	report->nr_code++;
	return &bigger[nr];
}

/*
 * Adds the samples of @spot to @row. @is_first is false if the row's total already includes these
 * samples because of an inner frame of the same stack.
 */
static void add_spot(struct code_row *row, const struct spot *spot, bool is_first)
{
	if (spot->place.is_self)
		sample_sum__add(&row->sums.self, &spot->sum);
	if (is_first)
		sample_sum__add(&row->sums.total, &spot->sum);
}

/* ---- a function with source text ---- */

static int by_source(const void *left, const void *right)
{
	const struct code_row *a = left, *b = right;

	return strcmp(a->file, b->file) ?: a->line < b->line ? -1 : a->line > b->line;
}

/* Sorts row @first and all later rows by source line, and merges rows for the same line. */
static void merge_lines(struct profile_report *report, int first)
{
	struct code_row *rows = report->code + first;
	int nr = profile_sums__merge(rows, report->nr_code - first, sizeof(*rows), by_source);

	report->nr_code = first + nr;
	for (int i = 0; i < nr; i++)
		rows[i].begins_file = !i || strcmp(rows[i].file, rows[i - 1].file);
}

static void sum_line(const struct view *v, int line, struct code_row *row)
{
	for (uint32_t i = 0; i < v->nr_spots; i++)
		if (v->spots[i].place.line == line)
			add_spot(row, &v->spots[i], v->spots[i].place.is_first_line);
}

static void add_source(struct view *v, int func)
{
	int first = v->report->nr_code;

	for (uint32_t i = 0; i < v->code->nr_lines; i++) {
		const struct bpf_code_line *line = &v->code->lines[i];
		struct code_row *row;

		if (line->func != (uint32_t)func)
			continue;
		row = add_row(v, CODE_SOURCE, func);
		if (!row)
			return;
		row->file = line->file;
		row->text = line->text;
		row->line = line->line;
		sum_line(v, (int)i, row);
	}
	merge_lines(v->report, first);
}

/* ---- a function without source text ---- */

/*
 * Adds a row for each of the @nr instructions from @first on. @line is the index of their source
 * line, or -1 if the line is unknown. The first row gets all samples of the line, because it is
 * unknown at which of these instructions the samples were taken.
 */
static void add_insns(struct view *v, int func, uint32_t first, uint32_t nr, int line)
{
	for (uint32_t i = 0; i < nr && first + i < v->code->nr_insns; i++) {
		struct code_row *row = add_row(v, CODE_INSN, func);

		if (!row)
			return;
		row->insn = first + i;
		if (!i && line >= 0)
			sum_line(v, line, row);
		if (v->code->insns[first + i].code == (BPF_LD | BPF_IMM | BPF_DW))
			i++; /* this instruction occupies two elements of `insns` */
	}
}

static void add_code(struct view *v, int func)
{
	struct code_row *row = NULL;
	uint64_t last = 0;

	for (uint32_t i = 0; i < v->nr_spots; i++) {
		const struct profile_place *at = &v->spots[i].place;

		if (at->func != func || at->line >= 0)
			continue;
		if (!row || at->ip != last)
			row = add_row(v, CODE_MACHINE, func);
		if (!row)
			return;
		last = at->ip;
		row->insn = (uint32_t)(at->ip - v->code->funcs[func].addr);
		add_spot(row, &v->spots[i], at->is_first_line);
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
	struct code_row *head = add_row(v, CODE_FUNC, func);

	for (uint32_t i = 0; head && i < v->nr_spots; i++)
		if (v->spots[i].place.func == func)
			add_spot(head, &v->spots[i], v->spots[i].place.is_first_func);
	if (has_lines(v->code, func, true)) {
		add_source(v, func);
		return;
	}
	for (uint32_t i = 0; i < v->code->nr_lines; i++)
		if (v->code->lines[i].func == (uint32_t)func)
			add_insns(v, func, v->code->lines[i].insn, v->code->lines[i].nr_insns,
				  (int)i);
	if (!has_lines(v->code, func, false))
		add_insns(v, func, at->insn, at->nr_insns, -1);
	add_code(v, func);
}

/* ---- programs ---- */

static void collect_spots(struct view *v)
{
	const struct profile *profile = v->report->measurement->profile;

	v->nr_spots = 0;
	for (uint32_t i = 0; i < sample_table__nr(profile->samples); i++) {
		const struct profile_frames *frames = sample_table__key(profile->samples, i);
		struct sample_sum sum = profile_report__at(v->report, i);
		struct profile_place places[PROFILE_MOST_FRAMES];
		int nr;

		if ((int)frames->event != v->event || !sum.samples)
			continue;
		nr = profile_progs__locate(profile->progs, frames, places);
		for (int place = 0; place < nr; place++)
			if (places[place].prog == v->nr_prog)
				v->spots[v->nr_spots++] =
					(struct spot){ .place = places[place], .sum = sum };
	}
}

static int by_ip(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	return a->place.ip < b->place.ip ? -1 : a->place.ip > b->place.ip;
}

static void add_prog(struct view *v)
{
	v->prog = profile_progs__at(v->report->measurement->profile->progs, v->nr_prog);
	v->code = v->prog.code;
	collect_spots(v);
	if (!v->nr_spots)
		return;
	qsort(v->spots, v->nr_spots, sizeof(*v->spots), by_ip);
	for (int func = 0; func < (int)v->code->nr_funcs; func++)
		if (v->prog.func < 0 || v->prog.func == func)
			add_func(v, func);
}

int profile_report__make_code(struct profile_report *report)
{
	const struct profile *profile = report->measurement->profile;
	size_t nr_places = (size_t)sample_table__nr(profile->samples) * PROFILE_MOST_FRAMES;
	struct view v = { .report = report };

	v.spots = calloc(nr_places + 1, sizeof(*v.spots));
	if (!v.spots)
		return -ENOMEM;
	for (v.event = 0; v.event < profile->nr_events; v.event++)
		for (v.nr_prog = 0; v.nr_prog < profile_progs__nr(profile->progs); v.nr_prog++)
			add_prog(&v);
	free(v.spots);
	profile_sums__share_out(report->code, report->nr_code, sizeof(*report->code),
				report->totals);
	return v.failed ? -ENOMEM : 0;
}

/* ---- columns ---- */

#define TAB 8
#define FILE_INDENT 48

static bool has_samples(const void *row)
{
	const struct profile_sums *sums = row;

	return sums->total.samples || sums->self.samples;
}

static void add_title(const void *row, struct strbuf *sb)
{
	const struct code_row *code = row;

	strbuf__addf(sb, "# program %u ", code->prog_id);
	strbuf__add_clean(sb, code->prog_name);
	strbuf__addc(sb, '\n');
}

static void add_file(const void *row, struct strbuf *sb)
{
	const struct code_row *code = row;

	if (!code->begins_file)
		return;
	strbuf__addf(sb, "%*s", FILE_INDENT, "");
	strbuf__add_clean(sb, code->file);
	strbuf__addc(sb, '\n');
}

static void add_func_name(const void *row, struct strbuf *sb)
{
	strbuf__addf(sb, "function %s", ((const struct code_row *)row)->func);
}

/* Replaces tabs with spaces, because the text does not start at a multiple of the tab width. */
static void add_source_text(const void *row, struct strbuf *sb)
{
	size_t start = sb->len;

	for (const char *text = ((const struct code_row *)row)->text; *text; text++) {
		if (*text != '\t')
			strbuf__addc(sb, *text);
		else
			strbuf__addf(sb, "%*s", TAB - (int)((sb->len - start) % TAB), "");
	}
}

static void add_insn(const void *row, struct strbuf *sb)
{
	const struct code_row *code = row;

	bpf_insn__add_text(code->code->insns, code->insn, code->code->nr_insns, sb);
}

static void add_offset(const void *row, struct strbuf *sb)
{
	strbuf__addf(sb, "machine code +0x%x", ((const struct code_row *)row)->insn);
}

#define BEGIN(kind)                                                             \
	PROFILE_KIND_COLUMNS(kind), PROFILE_SELF_COLUMNS, PROFILE_FUNC_COLUMNS, \
		PROFILE_TABLE_COLUMNS(.has = has_samples)
#define END                    \
	PROFILE_TOTAL_COLUMNS, \
	{                      \
		0              \
	}

static const struct column func_columns[] = {
	BEGIN("function"),
	COLUMN_BY(IN_TABLE, "code", COLUMN_MADE, .add = add_func_name),
	END,
};

const struct column code_source_columns[] = {
	COLUMN_REMARK_BY(add_file),
	BEGIN("source"),
	COLUMN(IN_DATA, "file", struct code_row, file),
	COLUMN(IN_DATA | IN_TABLE, "line", struct code_row, line, .width = 6),
	COLUMN(IN_DATA, "text", struct code_row, text),
	COLUMN_BY(IN_TABLE, "code", COLUMN_MADE, .add = add_source_text),
	END,
};

static const struct column insn_columns[] = {
	BEGIN("insn"),
	COLUMN(IN_DATA | IN_TABLE, "insn", struct code_row, insn, .width = 6),
	COLUMN_BY(IN_DATA | IN_TABLE, "text", COLUMN_MADE, .add = add_insn),
	END,
};

static const struct column machine_columns[] = {
	BEGIN("code"),
	COLUMN(IN_DATA, "offset", struct code_row, insn),
	COLUMN_BY(IN_TABLE, "line", COLUMN_WORD, .word = "", .width = 6),
	COLUMN_BY(IN_TABLE, "code", COLUMN_MADE, .add = add_offset),
	END,
};

const struct column code_title_columns[] = {
	COLUMN_REMARK_BY(add_title),
	{ 0 },
};

const struct column *code_row__columns(const struct code_row *row)
{
	static const struct column *const columns[] = {
		[CODE_FUNC] = func_columns,
		[CODE_SOURCE] = code_source_columns,
		[CODE_INSN] = insn_columns,
		[CODE_MACHINE] = machine_columns,
	};

	return columns[row->kind];
}
