// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/utf8.h"

/*
 * A row of table 3-7 of the Unicode standard: a range of first bytes, the range of valid second
 * bytes, and the length of the character.
 */
struct utf8_row {
	unsigned char first_lo, first_hi;
	unsigned char second_lo, second_hi;
	size_t len;
};

static const struct utf8_row rows[] = {
	{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t utf8__len(const char *s, size_t len)
{
	const unsigned char *c = (const unsigned char *)s;

	for (size_t i = 0; len && i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct utf8_row *row = &rows[i];

		if (c[0] < row->first_lo || c[0] > row->first_hi)
			continue;
		if (row->len > len ||
		    (row->len > 1 && (c[1] < row->second_lo || c[1] > row->second_hi)))
			return 0;
		for (size_t at = 2; at < row->len; at++)
			if ((c[at] & 0xc0) != 0x80)
				return 0;
		return row->len;
	}
	return 0;
}
