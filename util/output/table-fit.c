// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/table-fit.h"

#include <stdbool.h>

#include "util/base/strbuf.h"

#define MARK "..."
#define MARK_LEN (sizeof(MARK) - 1)

_Static_assert(TABLE_FIT_LEAST > MARK_LEN, "a cut text contains more than the mark");

void table_fit__shrink(size_t *widths, const size_t *fixed, size_t nr, size_t gap, size_t max)
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
		if (most <= TABLE_FIT_LEAST)
			return;
		widths[widest]--;
		total--;
	}
}

/* Returns whether the byte is part of a UTF-8 character that began earlier. */
static bool continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t table_fit__add(struct strbuf *sb, const char *text, size_t len, size_t fixed, size_t width)
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
