/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the rows of a report consist of. A report fills structs, and an array of columns describes
 * such a struct: the name, kind and place of each value, and the outputs that it appears in. The
 * writers of util/output (row-writer.h) make bytes of any struct by its columns. So a report knows
 * no format, and a writer knows no report:
 *
 *	struct code_row ──────┐
 *	struct symbol_row ────┤                ┌─► table
 *	struct prog_row ──────┼─► column[] ────┼─► CSV
 *	struct outlier_row ───┤                ├─► JSON
 *	struct hist_row ──────┘                └─► folded
 */
#ifndef PSTAT_REPORT_COLUMN_H
#define PSTAT_REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum column_kind {
	COLUMN_END,	/* ends the array */
	COLUMN_TEXT,	/* const char *; NULL means an empty text */
	COLUMN_CHARS,	/* char[] */
	COLUMN_COUNT,	/* uint64_t, uint32_t, or an int that is not negative */
	COLUMN_SHARE,	/* double: percent, with two decimals */
	COLUMN_DECIMAL, /* double: with `decimals` decimals; not for tables */
	COLUMN_SECONDS, /* uint64_t: ns, printed as seconds with nine decimals */
	COLUMN_BOOL,
	COLUMN_WORD, /* not in the struct: every row has the text `word` */
	COLUMN_MADE, /* the text that add() makes of the row */
	COLUMN_LIST, /* item() gives its elements, which `items` describes */
	/*
	 * Above the row, and only in tables: "# COUNT WORD" if the count is not 0, or the lines
	 * that add() makes, if any. A struct with no other columns is a comment.
	 */
	COLUMN_REMARK,
};

/* The outputs that a column appears in. */
enum {
	IN_JSON = 1,
	IN_CSV = 2,
	IN_DATA = IN_JSON | IN_CSV,
	IN_TABLE = 4,
	IN_FOLDED = 8, /* the frames of a stack, and the column after it, the number of samples */
};

struct column {
	/* The key in JSON, and the heading in tables. NULL in a list: JSON has the bare value. */
	const char *name;
	enum column_kind kind;
	unsigned int in;
	size_t offset, size; /* of the member */
	int decimals;
	/*
	 * In tables, a count or share with a width is on the right of a column of that width. The
	 * other columns are as wide as their widest text, which is on the right if `right` is set.
	 */
	int width;
	bool right;
	/*
	 * Does the row have this value? By default, every row has it; if `optional` is set, rows
	 * have it unless it is 0 or empty. JSON and CSV omit a missing value. Tables leave it blank
	 * if the column has a width, and show "-" otherwise.
	 */
	bool (*has)(const void *row);
	bool optional; /* counts and texts */
	const char *word;
	void (*add)(const void *row, struct strbuf *sb);
	const void *(*item)(const void *row, int nr); /* returns NULL after the last element */
	const struct column *items;
};

/* The kind of column that a member's type implies. An array of characters needs COLUMN_CHARS. */
#define COLUMN_KIND(type, member) \
	_Generic(&((const type *)NULL)->member,        \
		const char *const *: COLUMN_TEXT,      \
		const uint64_t *: COLUMN_COUNT,        \
		const uint32_t *: COLUMN_COUNT,        \
		const int *: COLUMN_COUNT,             \
		const double *: COLUMN_SHARE,          \
		const bool *: COLUMN_BOOL)

#define COLUMN_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* A member of a struct. The dots are other fields of struct column. */
#define COLUMN(outputs, key, type, member, ...)                                                             \
	{                                                                                                   \
		.in = (outputs), .name = (key), .kind = COLUMN_KIND(type, member), COLUMN_AT(type, member), \
		__VA_ARGS__                                                                                 \
	}

/* Text or lists that functions make. */
#define COLUMN_BY(outputs, key, column_kind, ...)                                  \
	{                                                                          \
		.in = (outputs), .name = (key), .kind = (column_kind), __VA_ARGS__ \
	}

/* A remark on a count that should be 0, or one that a function makes. */
#define COLUMN_REMARK_OF(type, member, text)                                                   \
	{                                                                                      \
		.kind = COLUMN_REMARK, .in = IN_TABLE, COLUMN_AT(type, member), .word = (text) \
	}
#define COLUMN_REMARK_BY(function)                                       \
	{                                                                \
		.kind = COLUMN_REMARK, .in = IN_TABLE, .add = (function) \
	}

#endif
