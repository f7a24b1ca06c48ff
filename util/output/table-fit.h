/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes tables narrower: cuts the widest texts in the middle. Widths are in bytes. */
#ifndef PSTAT_OUTPUT_TABLE_FIT_H
#define PSTAT_OUTPUT_TABLE_FIT_H

#include <stddef.h>

struct strbuf;

/*
 * Reduces the widths of the widest of @nr cells, until a line has at most @max bytes. There are
 * @gap spaces between cells. The first @fixed bytes of a cell are numbers and are not cut. A text
 * keeps at least TABLE_FIT_LEAST bytes, so a line can still be too long.
 */
#define TABLE_FIT_LEAST 12
void table_fit__shrink(size_t *widths, const size_t *fixed, size_t nr, size_t gap, size_t max);

/*
 * Adds the cell @text of @len bytes. If it is longer than @width, "..." replaces the middle of the
 * part after @fixed. Characters are not divided. Returns the number of bytes that were added.
 */
size_t table_fit__add(struct strbuf *sb, const char *text, size_t len, size_t fixed, size_t width);

#endif
