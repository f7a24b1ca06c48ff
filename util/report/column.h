/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes the contents of rows. A row is a struct that a report fills. An array of columns
 * describes the struct: the name, kind and offset of each value, and the outputs in which the value
 * appears. The writers of util/output (row-writer.h) format any struct according to its columns:
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
	COLUMN_TEXT,	/* const char *; NULL means "" */
	COLUMN_CHARS,	/* char[] */
	COLUMN_COUNT,	/* uint64_t, uint32_t, or a non-negative int */
	COLUMN_SHARE,	/* double: percent, with two decimals */
	COLUMN_DECIMAL, /* double, with `decimals` decimals; not for tables */
	COLUMN_SECONDS, /* uint64_t in ns, printed in seconds with nine decimals */
	COLUMN_BOOL,
	COLUMN_WORD, /* every row has the text column.word, which is not in the row's struct */
	COLUMN_MADE, /* the text that add() makes from the row */
	COLUMN_LIST, /* item() returns the elements, which `items` describes */
	/*
	 * A comment above the row, only in tables. If the column has add(), the comment consists of
	 * the lines that add() makes. Otherwise, it is "# COUNT WORD", and is omitted if the count
	 * is 0. A struct that has only columns of this kind is printed only as comments.
	 */
	COLUMN_REMARK,
};

/* The outputs in which a column appears. */
enum {
	IN_JSON = 1,
	IN_CSV = 2,
	IN_DATA = IN_JSON | IN_CSV,
	IN_TABLE = 4,
	IN_FOLDED = 8, /* folded stacks: a column of frames, then a column of samples */
};

/*
 * A struct column is at most as large as five pointers. The arrays of columns must be small,
 * because when pstat starts, the dynamic linker writes to all pages that contain pointers.
 */
struct column {
	/*
	 * The key in JSON, and the heading in tables. For the elements of a list, NULL means that
	 * JSON contains the value without a key.
	 */
	const char *name;
	enum column_kind kind : 8;
	unsigned int in : 4;
	unsigned int decimals : 4;
	/*
	 * In tables, a column with a width is this wide, and its values are right-aligned. Every
	 * other column is as wide as its widest text, and is right-aligned if `right` is set.
	 */
	unsigned int width : 8;
	bool right : 1;
	bool optional : 1;     /* for counts and texts: see `has` */
	uint16_t offset, size; /* offset and size of the member */
	/*
	 * Returns whether the row has a value in this column. NULL: every row has one, except that
	 * a value of 0 or "" is missing if `optional` is set. JSON and CSV omit a missing value.
	 * Tables show a missing value as a blank if the column has a width, otherwise as "-".
	 */
	bool (*has)(const void *row);
	union {
		const char *word;	    /* not for lists */
		const struct column *items; /* only for lists */
	};
	union {
		void (*add)(const void *row, struct strbuf *sb); /* not for lists */
		/* for lists: returns element @nr, or NULL after the last one */
		const void *(*item)(const void *row, int nr);
	};
};

_Static_assert(sizeof(struct column) <= 5 * sizeof(void *), "see above");

/*
 * The kind of a column that contains the member @member of the struct @type, chosen by the member's
 * type. Does not support arrays of characters: for these, use COLUMN_CHARS.
 */
#define COLUMN_KIND(type, member) \
	_Generic(&((const type *)NULL)->member,        \
		const char *const *: COLUMN_TEXT,      \
		char *const *: COLUMN_TEXT,            \
		const uint64_t *: COLUMN_COUNT,        \
		const uint32_t *: COLUMN_COUNT,        \
		const int *: COLUMN_COUNT,             \
		const double *: COLUMN_SHARE,          \
		const bool *: COLUMN_BOOL)

#define COLUMN_AT(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* Describes a member of a struct. Additional arguments set other fields of struct column. */
#define COLUMN(outputs, key, type, member, ...)                                    \
	{                                                                          \
		.in = (outputs), .name = (key), .kind = COLUMN_KIND(type, member), \
		COLUMN_AT(type, member), __VA_ARGS__                               \
	}

/*
 * Describes a column of the kind @column_kind. Additional arguments set other fields of struct
 * column.
 */
#define COLUMN_BY(outputs, key, column_kind, ...)                                  \
	{                                                                          \
		.in = (outputs), .name = (key), .kind = (column_kind), __VA_ARGS__ \
	}

/* Describes a COLUMN_REMARK about a count that should be 0. */
#define COLUMN_REMARK_OF(type, member, text)                                                   \
	{                                                                                      \
		.kind = COLUMN_REMARK, .in = IN_TABLE, COLUMN_AT(type, member), .word = (text) \
	}
#define COLUMN_REMARK_BY(function)                                       \
	{                                                                \
		.kind = COLUMN_REMARK, .in = IN_TABLE, .add = (function) \
	}

#endif
