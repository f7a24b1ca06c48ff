/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people. */
#ifndef PSTAT_BASE_TABLE_H
#define PSTAT_BASE_TABLE_H

struct strbuf;

/* The last columns of a wider table are as one. */
#define TABLE_COLUMNS_MAX 16

/*
 * Adds @lines, of cells with tabs between them, with spaces instead: each column as wide as its widest cell (bytes), two spaces from the next;
 * a cell at the end of its line as it is. Columns whose bit is set in @right, the first of which is 1, stand at the right. Each line ends with
 * a newline.
 */
void table__align(struct strbuf *sb, const char *lines, unsigned int right);

#endif
