// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/json-writer.h"

#include <inttypes.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/strbuf.h"

/* One row of the Unicode standard's table 3-7: which second bytes may follow a range of first bytes. */
struct utf8_row {
	unsigned char first_lo, first_hi;
	unsigned char second_lo, second_hi;
	int len;
};

static const struct utf8_row utf8_rows[] = {
	{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

/* Bytes of the character at @s, 0 when it is none. Stops at the NUL, which no continuation byte equals. */
static int utf8_len(const unsigned char *s)
{
	for (size_t i = 0; i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++) {
		const struct utf8_row *row = &utf8_rows[i];

		if (s[0] < row->first_lo || s[0] > row->first_hi)
			continue;
		if (row->len > 1 && (s[1] < row->second_lo || s[1] > row->second_hi))
			return 0;
		for (int at = 2; at < row->len; at++)
			if ((s[at] & 0xc0) != 0x80)
				return 0;
		return row->len;
	}
	return 0;
}

static void add_ascii(struct strbuf *sb, char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = strchr(plain, c);

	if (at) {
		strbuf__addc(sb, '\\');
		strbuf__addc(sb, letters[at - plain]);
	} else if ((unsigned char)c < 0x20 || c == 0x7f) {
		strbuf__addf(sb, "\\u%04x", (unsigned int)(unsigned char)c);
	} else {
		strbuf__addc(sb, c);
	}
}

static void add_quoted(struct strbuf *sb, const char *text)
{
	strbuf__addc(sb, '"');
	while (*text) {
		int len = utf8_len((const unsigned char *)text);

		if (len == 1)
			add_ascii(sb, *text);
		else if (len)
			strbuf__add(sb, text, (size_t)len);
		else
			strbuf__adds(sb, "\\ufffd");
		text += len ? len : 1;
	}
	strbuf__addc(sb, '"');
}

static void add_comma(struct json_writer *w)
{
	strbuf__adds(w->sb, w->first ? "" : ", ");
	w->first = false;
}

static void add_key(struct json_writer *w, const char *key)
{
	add_comma(w);
	add_quoted(w->sb, key);
	strbuf__adds(w->sb, " : ");
}

void json__begin(struct json_writer *w, struct strbuf *sb)
{
	*w = (struct json_writer){ .sb = sb, .first = true };
	strbuf__addc(sb, '{');
}

void json__end(struct json_writer *w)
{
	strbuf__addc(w->sb, '}');
}

void json__string(struct json_writer *w, const char *key, const char *value)
{
	add_key(w, key);
	add_quoted(w->sb, value);
}

void json__uint(struct json_writer *w, const char *key, uint64_t value)
{
	add_key(w, key);
	strbuf__addf(w->sb, "%" PRIu64, value);
}

void json__bool(struct json_writer *w, const char *key, bool value)
{
	add_key(w, key);
	strbuf__adds(w->sb, value ? "true" : "false");
}

void json__fixed(struct json_writer *w, const char *key, double value, int decimals)
{
	add_key(w, key);
	decimal__add(w->sb, value, decimals);
}

void json__fixed_string(struct json_writer *w, const char *key, double value, int decimals)
{
	add_key(w, key);
	strbuf__addc(w->sb, '"');
	decimal__add(w->sb, value, decimals);
	strbuf__addc(w->sb, '"');
}

void json__time(struct json_writer *w, const char *key, uint64_t sec, uint32_t nsec)
{
	add_key(w, key);
	strbuf__addf(w->sb, "%" PRIu64 ".%09" PRIu32, sec, nsec);
}

void json__open_array(struct json_writer *w, const char *key)
{
	add_key(w, key);
	strbuf__addc(w->sb, '[');
	w->first = true;
}

void json__element_uint(struct json_writer *w, uint64_t value)
{
	add_comma(w);
	strbuf__addf(w->sb, "%" PRIu64, value);
}

void json__element_object(struct json_writer *w, struct json_writer *inner)
{
	add_comma(w);
	json__begin(inner, w->sb);
}

void json__close_array(struct json_writer *w)
{
	strbuf__addc(w->sb, ']');
	w->first = false;
}
