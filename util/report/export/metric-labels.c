// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "util/base/strbuf.h"
#include "util/base/utf8.h"
#include "util/report/export/metric-page.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */

static void add_byte(struct strbuf *to, unsigned char byte)
{
	strbuf__addf(to, REPLACEMENT "%02x", byte);
}

/* Returns whether the UTF-8 character of @len bytes at @s is a control character. */
static bool is_control(const char *s, size_t len)
{
	unsigned char first = (unsigned char)s[0], second = (unsigned char)s[1];

	return first < 0x20 || first == 0x7f || (len == 2 && first == 0xc2 && second < 0xa0);
}

/* Returns the number of bytes at the start of @s that need no escape. */
static size_t plain_length(const char *s)
{
	size_t len = 0;

	for (; s[len] >= 0x20 && s[len] < 0x7f && s[len] != '\\' && s[len] != '"'; len++)
		;
	return len;
}

void metric_labels__escape(struct strbuf *to, const char *text)
{
	const char *end = text + strlen(text);

	while (text < end) {
		size_t plain = plain_length(text), len;

		strbuf__add(to, text, plain);
		text += plain;
		if (text == end)
			break;
		len = utf8__len(text, (size_t)(end - text));
		if (*text == '\\' || *text == '"' || *text == '\n') {
			strbuf__addc(to, '\\');
			strbuf__addc(to, *text == '\n' ? 'n' : *text);
		} else if (!len || is_control(text, len)) {
			for (size_t i = 0; i < (len ? len : 1); i++)
				add_byte(to, (unsigned char)text[i]);
		} else {
			strbuf__add(to, text, len);
			if (len == strlen(REPLACEMENT) && !memcmp(text, REPLACEMENT, len))
				strbuf__adds(to, "00");
		}
		text += len ? len : 1;
	}
}

void metric_labels__add(struct strbuf *labels, const char *name, const char *value)
{
	if (labels->len)
		strbuf__addc(labels, ',');
	strbuf__adds(labels, name);
	strbuf__adds(labels, "=\"");
	metric_labels__escape(labels, value);
	strbuf__addc(labels, '"');
}
