/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the values of rows for the formats of row-writer.h (see util/report/column.h). */
#ifndef PSTAT_OUTPUT_ROW_VALUE_H
#define PSTAT_OUTPUT_ROW_VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct column;
struct strbuf;

const void *row_value__member(const struct column *column, const void *row);
uint64_t row_value__count(const struct column *column, const void *row);

/* Returns whether the values of @column are text, which JSON quotes. */
bool row_value__is_text(const struct column *column);
/*
 * Returns the text of a value. The text does not depend on the locale. It may be stored in @made,
 * so it is valid only until @made changes.
 */
const char *row_value__text(const struct column *column, const void *row, struct strbuf *made);

/* Returns whether the row has a value in @column. */
bool row_value__exists(const struct column *column, const void *row);
/* Returns true if @output (IN_...) contains @column and the row has a value in @column. */
bool row_value__is_in(const struct column *column, unsigned int output, const void *row);

/* Adds @ns as seconds with nine decimals. */
void row_value__add_seconds(struct strbuf *sb, uint64_t ns);

#endif
