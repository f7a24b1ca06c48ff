// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV and JSON do not depend on the locale. Tables print percentages in the locale's number format.
 */
#include "util/output/row-writer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/csv-field.h"
#include "util/base/decimal.h"
#include "util/base/json-writer.h"
#include "util/base/strbuf.h"
#include "util/output/row-value.h"
#include "util/report/column.h"

/* ---- CSV ---- */

struct fields {
	struct strbuf *sb;
	const char *separator;
	bool begun; /* the line has at least one field */
	struct strbuf made;
};

static void add_field(struct fields *to, const struct column *column, const void *row)
{
	const char *text = row_value__text(column, row, &to->made);

	strbuf__adds(to->sb, to->begun ? to->separator : "");
	to->begun = true;
	if (row_value__is_text(column))
		csv_field__add(to->sb, text, to->separator);
	else
		strbuf__adds(to->sb, text);
	to->sb->failed |= strbuf__failed(&to->made);
}

/* Adds the fields of @row. For a column that is a list, adds the fields of each element. */
static void add_fields(struct fields *to, const struct column *column, const void *row)
{
	const void *item;

	for (; column->kind != COLUMN_END; column++) {
		if (!row_value__is_in(column, IN_CSV, row))
			continue;
		if (column->kind != COLUMN_LIST)
			add_field(to, column, row);
		else
			for (int i = 0; (item = column->item(row, i)); i++)
				add_fields(to, column->items, item);
	}
}

void row_writer__add_csv(struct strbuf *sb, const char *separator, const struct column *columns,
			 const void *row)
{
	struct fields to = { .sb = sb, .separator = separator, .made = STRBUF_INIT };

	add_fields(&to, columns, row);
	strbuf__free(&to.made);
}

static void csv_row(struct row_writer *w, const struct column *columns, const void *row)
{
	if (w->is_interval) {
		row_value__add_seconds(w->text, w->time_ns);
		strbuf__adds(w->text, w->separator);
	}
	row_writer__add_csv(w->text, w->separator, columns, row);
	strbuf__addc(w->text, '\n');
}

/* ---- JSON ---- */

/* Adds a count or a text, without a key, as an element of an array. */
static void add_element(struct json_writer *w, const struct column *column, const void *item)
{
	if (column->kind == COLUMN_COUNT)
		json__element_uint(w, row_value__count(column, item));
	else
		json__element_string(w, *(const char *const *)row_value__member(column, item));
}

static void add_list(struct json_writer *w, const struct column *column, const void *row)
{
	const struct column *first = column->items;
	struct json_writer inner;
	const void *item;

	while (!(first->in & IN_JSON))
		first++;
	json__open_array(w, column->name);
	for (int i = 0; (item = column->item(row, i)); i++) {
		if (!first->name) {
			add_element(w, first, item);
			continue;
		}
		json__element_object(w, &inner);
		row_writer__add_json(&inner, column->items, item);
		json__end(&inner);
	}
	json__close_array(w);
}

static void add_member(struct json_writer *w, const struct column *column, const void *row)
{
	struct strbuf made = STRBUF_INIT;

	if (column->kind == COLUMN_LIST)
		add_list(w, column, row);
	else
		(row_value__is_text(column) ? json__string : json__raw)(
			w, column->name, row_value__text(column, row, &made));
	w->sb->failed |= strbuf__failed(&made);
	strbuf__free(&made);
}

void row_writer__add_json(struct json_writer *w, const struct column *columns, const void *row)
{
	for (const struct column *column = columns; column->kind != COLUMN_END; column++)
		if (row_value__is_in(column, IN_JSON, row))
			add_member(w, column, row);
}

static void json_begin(struct row_writer *w, const struct column *columns)
{
	(void)columns;
	if (w->is_array)
		strbuf__addc(w->text, '[');
}

static void json_row(struct row_writer *w, const struct column *columns, const void *row)
{
	struct json_writer object;

	if (w->is_array)
		strbuf__adds(w->text, w->nr ? ",\n" : "\n");
	json__begin(&object, w->text);
	if (w->is_interval)
		json__time(&object, "interval", w->time_ns / NSEC_PER_SEC,
			   (uint32_t)(w->time_ns % NSEC_PER_SEC));
	row_writer__add_json(&object, columns, row);
	json__end(&object);
	if (!w->is_array)
		strbuf__addc(w->text, '\n');
}

static void json_end(struct row_writer *w)
{
	if (w->is_array)
		strbuf__adds(w->text, "\n]\n");
}

/* ---- tables ---- */

/* the maximum number of aligned columns; any further columns share the width of the last one */
#define ALIGNED_MAX ROW_WRITER_ALIGNED_MAX
#define GAP 2 /* spaces between columns */

static void add_remark(struct row_writer *w, const struct column *column, const void *row)
{
	if (column->add)
		column->add(row, &w->lines);
	else if (row_value__count(column, row))
		strbuf__addf(&w->lines, "# %" PRIu64 " %s\n", row_value__count(column, row),
			     column->word);
}

static void add_cell(struct row_writer *w, const struct column *column, const void *row)
{
	struct strbuf made = STRBUF_INIT;
	const char *text = column->width ? "" : "-";
	int pad;

	if (row_value__exists(column, row) && column->kind == COLUMN_SHARE) {
		strbuf__addf(&w->lines, "%*.2f%%", column->width - 1,
			     *(const double *)row_value__member(column, row));
		return;
	}
	if (row_value__exists(column, row))
		text = row_value__text(column, row, &made);
	pad = column->width - (int)strlen(text);
	strbuf__add_spaces(&w->lines, pad > 0 ? (size_t)pad : 0);
	strbuf__add_clean(&w->lines, text);
	w->lines.failed |= strbuf__failed(&made);
	strbuf__free(&made);
}

/*
 * Adds what follows the text of @column: a newline at the end of the line, otherwise a tab, which
 * ends the cell. A column with a width is in the same cell as the next column, so two spaces follow
 * instead of a tab.
 */
static void end_cell(struct row_writer *w, const struct column *column, bool is_last)
{
	strbuf__adds(&w->lines, is_last ? "\n" : column->width ? "  " : "\t");
}

static bool is_cell(const struct column *column)
{
	return column->in & IN_TABLE && column->kind != COLUMN_REMARK;
}

/* Returns the first column, at or after @column, that has a cell in tables, or NULL. */
static const struct column *next_cell(const struct column *column)
{
	while (column->kind != COLUMN_END && !is_cell(column))
		column++;
	return column->kind == COLUMN_END ? NULL : column;
}

static void table_begin(struct row_writer *w, const struct column *columns)
{
	const struct column *next;
	int nr = 0;

	w->right = 0;
	memset(w->fixed, 0, sizeof(w->fixed));
	for (const struct column *column = next_cell(columns); column; column = next) {
		next = next_cell(column + 1);
		strbuf__addf(&w->lines, "%*s", column->width, column->name);
		end_cell(w, column, !next);
		w->right |= (unsigned int)column->right << nr;
		if (column->width && nr < ALIGNED_MAX)
			w->fixed[nr] += column->width + GAP;
		nr += !column->width && nr < ALIGNED_MAX;
	}
}

static void table_row(struct row_writer *w, const struct column *columns, const void *row)
{
	const struct column *next;

	for (const struct column *column = columns; column->kind != COLUMN_END; column++)
		if (column->kind == COLUMN_REMARK)
			add_remark(w, column, row);
	for (const struct column *column = next_cell(columns); column; column = next) {
		next = next_cell(column + 1);
		add_cell(w, column, row);
		end_cell(w, column, !next);
	}
}

/*
 * If @lines begins with a remark (a line that begins with # and has no tab), returns the length of
 * the remark, otherwise 0.
 */
static size_t remark_length(const char *lines)
{
	size_t len = strcspn(lines, "\t\n");

	return *lines == '#' && lines[len] == '\n' ? len + 1 : 0;
}

/*
 * Stores in @widths the length in bytes of the longest cell of each column. A tab or newline ends a
 * cell. Returns the number of columns.
 */
static size_t find_widths(const char *lines, size_t *widths)
{
	size_t nr = 0, most = 0;

	while (*lines) {
		size_t len = strcspn(lines, "\t\n"), remark = nr ? 0 : remark_length(lines);

		if (remark) {
			lines += remark;
			continue;
		}
		if (len > widths[nr])
			widths[nr] = len;
		most = nr + 1 > most ? nr + 1 : most;
		nr = lines[len] != '\t' ? 0 : nr + (nr + 1 < ALIGNED_MAX);
		lines += len + (lines[len] != '\0');
	}
	return most;
}

#define MARK "..."
#define MARK_LEN (sizeof(MARK) - 1)
/* a text that is cut keeps at least this length in bytes, including MARK */
#define LEAST_WIDTH 12

_Static_assert(LEAST_WIDTH > MARK_LEN, "a cut text contains more than the mark");

/*
 * Reduces the width of the column with the longest text by one byte, and repeats this until the
 * lines are at most @max bytes long. There are @nr columns with @gap spaces between them. The first
 * @fixed[i] bytes of a cell in column i are numbers, which are not cut. A line can remain too long,
 * because a text is not cut to fewer than LEAST_WIDTH bytes.
 */
static void shrink(size_t *widths, const size_t *fixed, size_t nr, size_t gap, size_t max)
{
	size_t total = nr ? gap * (nr - 1) : 0;

	for (size_t i = 0; i < nr; i++)
		total += widths[i];
	while (total > max) {
		size_t widest = 0, most = 0;

		for (size_t i = 0; i < nr; i++) {
			size_t text = widths[i] > fixed[i] ? widths[i] - fixed[i] : 0;

			if (text > most) {
				most = text;
				widest = i;
			}
		}
		if (most <= LEAST_WIDTH)
			return;
		widths[widest]--;
		total--;
	}
}

/* Returns whether the byte is part of a UTF-8 character, but not its first byte. */
static bool continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

/*
 * Adds the cell @text of @len bytes. If the cell is longer than @width, keeps its first @fixed
 * bytes, and replaces the middle of the rest with "...". Adds the whole cell if @width has no room
 * for the first @fixed bytes and "...". Does not divide a UTF-8 character. Returns the number of
 * bytes that were added.
 */
static size_t add_cut(struct strbuf *sb, const char *text, size_t len, size_t fixed, size_t width)
{
	size_t room, head, tail;

	if (len <= width || width < fixed + MARK_LEN) {
		strbuf__add(sb, text, len);
		return len;
	}
	room = width - fixed - MARK_LEN;
	head = fixed + (room + 1) / 2;
	tail = len - room / 2;
	while (head > fixed && continues(text[head]))
		head--;
	while (tail < len && continues(text[tail]))
		tail++;
	strbuf__add(sb, text, head);
	strbuf__adds(sb, MARK);
	strbuf__add(sb, text + tail, len - tail);
	return head + MARK_LEN + len - tail;
}

/* Adds all lines to w->text, with aligned cells. No spaces follow the last cell of a line. */
static void table_end(struct row_writer *w)
{
	size_t widths[ALIGNED_MAX] = { 0 }, nr = 0;
	const char *lines = w->lines.text;
	size_t nr_cells = find_widths(lines, widths);

	if (w->max_width)
		shrink(widths, w->fixed, nr_cells, GAP, w->max_width);
	while (*lines) {
		size_t len = strcspn(lines, "\t\n"), remark = nr ? 0 : remark_length(lines), added;
		bool last = lines[len] != '\t', right = w->right >> nr & 1;
		int pad = len < widths[nr] ? (int)(widths[nr] - len) : 0;

		if (remark) {
			strbuf__add(w->text, lines, remark);
			lines += remark;
			continue;
		}
		strbuf__add_spaces(w->text, right ? (size_t)pad : 0);
		added = add_cut(w->text, lines, len, w->fixed[nr], widths[nr]);
		/* a cut cell can be shorter than its width, because characters are not divided */
		pad = added < widths[nr] && !last ? (int)(widths[nr] - added) : 0;
		strbuf__add_spaces(w->text, right ? 0 : (size_t)pad);
		strbuf__adds(w->text, last ? "\n" : "  ");
		nr = last ? 0 : nr + (nr + 1 < ALIGNED_MAX);
		lines += len + (lines[len] != '\0');
	}
}

/* ---- folded ---- */

/*
 * Writes the latest stack and its count. If adjacent rows have equal stacks, for example the rows
 * of two processes with the same name, the count is the sum of their counts.
 */
static void flush_stack(struct row_writer *w)
{
	if (w->lines.len)
		strbuf__addf(w->text, "%s %" PRIu64 "\n", w->lines.text, w->count);
	w->text->failed |= strbuf__failed(&w->lines);
	strbuf__reset(&w->lines);
	w->count = 0;
}

static void folded_row(struct row_writer *w, const struct column *columns, const void *row)
{
	const struct column *column = columns;
	struct strbuf made = STRBUF_INIT;
	const char *text;

	while (column->kind != COLUMN_END && !(column->in & IN_FOLDED))
		column++;
	if (column->kind == COLUMN_END)
		return;
	text = row_value__text(column, row, &made);
	if (strcmp(text, w->lines.text) != 0) {
		flush_stack(w);
		strbuf__adds(&w->lines, text);
	}
	w->count += row_value__count(column + 1, row);
	w->lines.failed |= strbuf__failed(&made);
	strbuf__free(&made);
}

/* ---- all formats ---- */

const struct row_format row_table = { .begin = table_begin, .row = table_row, .end = table_end };
const struct row_format row_csv = { .row = csv_row };
const struct row_format row_json = { .begin = json_begin, .row = json_row, .end = json_end };
const struct row_format row_folded = { .row = folded_row, .end = flush_stack };

void row_writer__begin(struct row_writer *w, const struct column *columns)
{
	w->nr = 0;
	if (w->format->begin)
		w->format->begin(w, columns);
}

void row_writer__row(struct row_writer *w, const struct column *columns, const void *row)
{
	w->format->row(w, columns, row);
	w->nr++;
}

void row_writer__rows(struct row_writer *w, const struct column *columns, const void *rows, int nr,
		      size_t size)
{
	for (int i = 0; i < nr; i++)
		row_writer__row(w, columns, (const char *)rows + (size_t)i * size);
}

void row_writer__end(struct row_writer *w)
{
	if (w->format->end)
		w->format->end(w);
	w->text->failed |= strbuf__failed(&w->lines);
	strbuf__free(&w->lines);
}
