// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/base/strbuf.h"

/* Behind a cell with @end behind it. */
static size_t next_column(size_t column, char end)
{
	if (end != '\t')
		return 0;
	return column + 1 < TABLE_COLUMNS_MAX ? column + 1 : column;
}

static void find_widths(const char *lines, size_t *widths)
{
	size_t column = 0;

	while (*lines) {
		size_t len = strcspn(lines, "\t\n");

		if (len > widths[column])
			widths[column] = len;
		column = next_column(column, lines[len]);
		lines += len + (lines[len] != '\0');
	}
}

void table__align(struct strbuf *sb, const char *lines, unsigned int right)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 }, column = 0;

	find_widths(lines, widths);
	while (*lines) {
		size_t len = strcspn(lines, "\t\n");
		bool last = lines[len] != '\t', at_right = right >> column & 1;
		int pad = (int)(widths[column] - len);

		strbuf__addf(sb, "%*s", at_right ? pad : 0, "");
		strbuf__add(sb, lines, len);
		strbuf__addf(sb, "%*s%s", at_right || last ? 0 : pad, "", last ? "\n" : "  ");
		column = next_column(column, lines[len]);
		lines += len + (lines[len] != '\0');
	}
}
