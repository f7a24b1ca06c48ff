/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the rows of any report except reports of counts (output.h). A row is a struct. An array of
 * struct column describes the members of this struct (util/report/column.h).
 */
#ifndef PSTAT_OUTPUT_ROW_WRITER_H
#define PSTAT_OUTPUT_ROW_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"

struct column;
struct json_writer;
struct row_format;
struct row_writer;

/* A text table: a heading and rows. row_writer__end() aligns the columns. */
extern const struct row_format row_table;
/* One line per row, without a heading. row_writer.separator separates the fields. */
extern const struct row_format row_csv;
/* One object per line; with row_writer.is_array, one array of objects. */
extern const struct row_format row_json;
/* A table in GitHub-flavored Markdown, with the columns of the text table. */
extern const struct row_format row_markdown;
/* Stacks for tools that draw flame graphs: `comm;outermost;…;innermost COUNT`. */
extern const struct row_format row_folded;

struct row_format {
	void (*begin)(struct row_writer *w, const struct column *columns);
	void (*row)(struct row_writer *w, const struct column *columns, const void *row);
	void (*end)(struct row_writer *w);
};

#define ROW_WRITER_ALIGNED_MAX 16

struct row_writer {
	const struct row_format *format;
	/* receives the output; strbuf__failed(text) returns true if memory ran out */
	struct strbuf *text;
	const char *separator; /* CSV */
	bool is_array;	       /* JSON */
	/* tables: if lines would be wider than this, the longest texts are cut; 0: no limit */
	size_t max_width;
	bool is_interval; /* CSV and JSON: each row begins with `time_ns` */
	uint64_t time_ns;

	/* The members below are private to the formats. */
	int nr;		     /* number of rows so far */
	struct strbuf lines; /* tables: rows that are not aligned yet; folded: the latest stack */
	unsigned int right;  /* tables: bit mask of right-aligned columns */
	/*
	 * In tables, a struct column with a width (column.h) shares a cell with the next struct
	 * column. fixed[i] is the length in bytes of the part of a cell in column i of the table
	 * that belongs to struct columns with a width, including the spaces after each of them.
	 * Only the rest of the cell is cut.
	 */
	size_t fixed[ROW_WRITER_ALIGNED_MAX];
	uint64_t count; /* folded: number of samples of the latest stack */
};

/*
 * Begins the output. Before this call, the caller must set all members of the writer, including the
 * private ones: `lines` to STRBUF_INIT, and the others to 0. @columns determines the heading of a
 * table.
 */
void row_writer__begin(struct row_writer *w, const struct column *columns);
/*
 * Adds a row. @columns describes this row, and may differ from the columns that were passed to
 * row_writer__begin().
 */
void row_writer__row(struct row_writer *w, const struct column *columns, const void *row);
/* Adds @nr rows from the array @rows, in which each row is @size bytes long. */
void row_writer__rows(struct row_writer *w, const struct column *columns, const void *rows, int nr,
		      size_t size);
/*
 * Ends the output and frees the private memory of the writer. After this, row_writer__begin() can
 * be called again.
 */
void row_writer__end(struct row_writer *w);

/* Adds the fields of @row with @separator between them, but no newline. */
void row_writer__add_csv(struct strbuf *sb, const char *separator, const struct column *columns,
			 const void *row);
/* Adds the members of @row to the object that @w has begun. */
void row_writer__add_json(struct json_writer *w, const struct column *columns, const void *row);

#endif
