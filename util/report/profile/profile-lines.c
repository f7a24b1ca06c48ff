// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/measurement.h"
#include "util/report/profile/profile-report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile.h"
#include "util/machine/bpf/bpf-prog-code.h"

static struct code_row make_line(const struct profile_report *report, int event,
				 const struct profile_place *at, struct sample_sum sum)
{
	struct code_row row = code_row__of(report, event, at->prog, at->func);

	row.sums.total = sum;
	if (at->is_self)
		row.sums.self = sum;
	if (at->line >= 0) {
		row.file = row.code->lines[at->line].file;
		row.text = row.code->lines[at->line].text;
		row.line = row.code->lines[at->line].line;
	}
	return row;
}

/* Compares rows by event, program, function and line. */
static int by_place(const void *left, const void *right)
{
	const struct code_row *a = left, *b = right;
	int order = a->sums.event.nr - b->sums.event.nr ?: a->prog - b->prog;

	order = order ?: strcmp(a->func, b->func) ?: strcmp(a->file, b->file);
	return order ?: a->line < b->line ? -1 : a->line > b->line;
}

static int by_weight(const void *left, const void *right)
{
	const struct code_row *a = left, *b = right;

	return profile_sums__compare(&a->sums, &b->sums, false) ?: by_place(a, b);
}

/* For each distinct line in which @frames has an address, adds a row with the samples @sum. */
static void add_frames(struct profile_report *report, const struct profile_frames *frames,
		       struct sample_sum sum)
{
	struct profile_place places[PROFILE_MOST_FRAMES];
	int nr = profile_progs__locate(report->measurement->profile->progs, frames, places),
	    event = (int)frames->event;

	for (int i = 0; i < nr; i++)
		if (places[i].is_first_line)
			report->lines[report->nr_lines++] =
				make_line(report, event, &places[i], sum);
}

int profile_report__make_lines(struct profile_report *report)
{
	const struct sample_table *samples = report->measurement->profile->samples;
	size_t size = sizeof(*report->lines);
	uint32_t nr = sample_table__nr(samples);

	report->lines = calloc((size_t)nr * PROFILE_MOST_FRAMES + 1, size);
	if (!report->lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		struct sample_sum sum = profile_report__at(report, i);

		if (sum.samples)
			add_frames(report, sample_table__key(samples, i), sum);
	}
	report->nr_lines = profile_sums__merge(report->lines, report->nr_lines, size, by_place);
	profile_sums__share_out(report->lines, report->nr_lines, size, report->totals);
	qsort(report->lines, (size_t)report->nr_lines, size, by_weight);
	return 0;
}

/* ---- columns ---- */

static void add_program(const void *row, struct strbuf *sb)
{
	const struct code_row *line = row;

	strbuf__addf(sb, "%" PRIu32 " %s", line->prog_id, line->prog_name);
}

static void add_place(const void *row, struct strbuf *sb)
{
	const struct code_row *line = row;

	if (line->line)
		strbuf__addf(sb, "%s:%" PRIu32, profile_report__base_name(line->file), line->line);
}

const struct column profile_line_columns[] = {
	PROFILE_KIND_COLUMNS("line"),
	PROFILE_SELF_COLUMNS,
	PROFILE_FUNC_COLUMNS,
	PROFILE_TABLE_COLUMNS(),
	COLUMN_BY(IN_TABLE, "program", COLUMN_MADE, .add = add_program),
	COLUMN(IN_TABLE, "function", struct code_row, func),
	COLUMN(IN_DATA, "file", struct code_row, file),
	COLUMN(IN_DATA, "line", struct code_row, line),
	COLUMN(IN_DATA, "text", struct code_row, text),
	COLUMN_BY(IN_TABLE, "line", COLUMN_MADE, .optional = true, .add = add_place),
	PROFILE_TOTAL_COLUMNS,
	{ 0 },
};
