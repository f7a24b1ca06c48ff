// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/json-writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/strbuf.h"
#include "util/base/utf8.h"

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
	size_t left = strlen(text);

	strbuf__addc(sb, '"');
	while (left) {
		size_t len = utf8__len(text, left);

		if (len == 1)
			add_ascii(sb, *text);
		/* escape C1 control characters, because a terminal could interpret them */
		else if (len == 2 && text[0] == '\xc2' && (unsigned char)text[1] <= 0x9f)
			strbuf__addf(sb, "\\u%04x", (unsigned int)(unsigned char)text[1]);
		else if (len)
			strbuf__add(sb, text, len);
		else
			strbuf__adds(sb, "\\ufffd");
		text += len ? len : 1;
		left -= len ? len : 1;
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

void json__raw(struct json_writer *w, const char *key, const char *value)
{
	add_key(w, key);
	strbuf__adds(w->sb, value);
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

void json__open_object(struct json_writer *w, const char *key, struct json_writer *inner)
{
	add_key(w, key);
	json__begin(inner, w->sb);
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

void json__element_double(struct json_writer *w, double value)
{
	struct strbuf text = STRBUF_INIT;
	size_t len;

	add_comma(w);
	decimal__add(&text, value, 12);
	len = text.len;
	while (len && text.text[len - 1] == '0')
		len--;
	if (len && text.text[len - 1] == '.')
		len--;
	if (isfinite(value))
		strbuf__add(w->sb, text.text, len);
	else
		strbuf__adds(w->sb, "null");
	w->sb->failed |= strbuf__failed(&text);
	strbuf__free(&text);
}

void json__element_string(struct json_writer *w, const char *value)
{
	add_comma(w);
	add_quoted(w->sb, value);
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
