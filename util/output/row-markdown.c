// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes tables in the dialect of Markdown that GitHub and GitLab display, for example in summaries
 * of CI jobs.
 */
#include <string.h>

#include "util/output/row-value.h"
#include "util/output/row-writer.h"
#include "util/report/column.h"

/* Adds @text with escapes, so that it neither ends the cell nor is read as markup. */
static void add_escaped(struct strbuf *sb, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	strbuf__add_clean(&clean, text);
	for (const char *at = clean.text; *at; at++) {
		if (strchr("|\\`*_<>[]#", *at))
			strbuf__addc(sb, '\\');
		strbuf__addc(sb, *at);
	}
	sb->failed |= strbuf__failed(&clean);
	strbuf__free(&clean);
}

static void markdown_begin(struct row_writer *w, const struct column *columns)
{
	for (const struct column *column = columns; column->kind != COLUMN_END; column++)
		if (column->in & IN_TABLE)
			strbuf__addf(w->text, "| %s ", column->name);
	strbuf__adds(w->text, "|\n");
	for (const struct column *column = columns; column->kind != COLUMN_END; column++)
		if (column->in & IN_TABLE)
			strbuf__adds(w->text, column->right ? "|---:" : "|---");
	strbuf__adds(w->text, "|\n");
}

static void markdown_row(struct row_writer *w, const struct column *columns, const void *row)
{
	struct strbuf made = STRBUF_INIT;

	for (const struct column *column = columns; column->kind != COLUMN_END; column++) {
		if (!(column->in & IN_TABLE))
			continue;
		strbuf__adds(w->text, "| ");
		if (row_value__exists(column, row))
			add_escaped(w->text, row_value__text(column, row, &made));
		strbuf__addc(w->text, ' ');
	}
	strbuf__adds(w->text, "|\n");
	w->text->failed |= strbuf__failed(&made);
	strbuf__free(&made);
}

const struct row_format row_markdown = { .begin = markdown_begin, .row = markdown_row };
