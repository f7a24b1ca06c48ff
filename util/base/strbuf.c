// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/utf8.h"

char strbuf_empty[1];

static bool strbuf__realloc(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1, room = sb->room ? sb->room : 64;
	char *text;

	if (extra >= SIZE_MAX / 4 - sb->len)
		/* malloc() cannot provide this size, and doubling `room` could overflow */
		sb->failed = true;
	if (sb->failed)
		return false;
	while (room < need)
		room *= 2;
	text = realloc(sb->room ? sb->text : NULL, room);
	if (!text) {
		sb->failed = true;
		return false;
	}
	text[sb->len] = '\0';
	sb->text = text;
	sb->room = room;
	return true;
}

/* Makes room for @extra bytes and a NUL. Returns false if an allocation has failed. */
static inline bool strbuf__grow(struct strbuf *sb, size_t extra)
{
	if (!sb->failed && extra < sb->room - sb->len)
		return true;
	return strbuf__realloc(sb, extra);
}

void strbuf__add(struct strbuf *sb, const char *s, size_t len)
{
	if (!strbuf__grow(sb, len))
		return;
	memcpy(sb->text + sb->len, s, len);
	sb->len += len;
	sb->text[sb->len] = '\0';
}

void strbuf__adds(struct strbuf *sb, const char *s)
{
	strbuf__add(sb, s, strlen(s));
}

void strbuf__addc(struct strbuf *sb, char c)
{
	strbuf__add(sb, &c, 1);
}

void strbuf__add_spaces(struct strbuf *sb, size_t nr)
{
	if (!strbuf__grow(sb, nr))
		return;
	memset(sb->text + sb->len, ' ', nr);
	sb->len += nr;
	sb->text[sb->len] = '\0';
}

/* Formats only once if the text fits into the free space, as most texts do. */
void strbuf__vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	size_t free_room = sb->room ? sb->room - sb->len : 0;
	va_list again;
	int len;

	if (sb->failed)
		return;
	va_copy(again, ap);
	len = vsnprintf(free_room ? sb->text + sb->len : NULL, free_room, fmt, again);
	va_end(again);
	if (len >= 0 && (size_t)len < free_room) {
		sb->len += (size_t)len;
		return;
	}
	if (free_room)
		sb->text[sb->len] = '\0';
	if (len < 0 || !strbuf__grow(sb, (size_t)len))
		return;
	vsnprintf(sb->text + sb->len, (size_t)len + 1, fmt, ap);
	sb->len += (size_t)len;
}

void strbuf__addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(sb, fmt, ap);
	va_end(ap);
}

/*
 * If the first character of @s is a control character, returns its length in bytes; otherwise
 * returns 0. Control characters are C0, DEL, C1 in UTF-8, and C1 bytes that are not part of a UTF-8
 * character. The caller sets *@len to the number of bytes at @s. The function changes *@len to the
 * length of the first character, or to 1 if this character is not valid UTF-8.
 */
static size_t control_len(const char *s, size_t *len)
{
	unsigned char c = (unsigned char)*s;
	size_t nr = utf8__len(s, *len);

	*len = nr ? nr : 1;
	if (nr == 2 && c == 0xc2 && (unsigned char)s[1] <= 0x9f)
		return 2;
	return nr <= 1 && (c < 0x20 || (c >= 0x7f && c <= 0x9f));
}

static size_t ascii_len(const char *s, size_t len)
{
	size_t nr = 0;

	while (nr < len && s[nr] >= 0x20 && s[nr] < 0x7f)
		nr++;
	return nr;
}

static void add_clean(struct strbuf *sb, const char *s, size_t len, const char *kept)
{
	for (const char *end = s + len; s < end; s += len) {
		len = ascii_len(s, (size_t)(end - s));
		if (len) {
			strbuf__add(sb, s, len);
			continue;
		}
		len = (size_t)(end - s);
		if (!control_len(s, &len) || (*s && strchr(kept, *s)))
			strbuf__add(sb, s, len);
		else
			strbuf__addc(sb, '?');
	}
}

void strbuf__add_clean_part(struct strbuf *sb, const char *s, size_t len)
{
	add_clean(sb, s, len, "");
}

void strbuf__add_clean_lines(struct strbuf *sb, const char *s)
{
	add_clean(sb, s, strlen(s), "\n\t");
}

void strbuf__add_clean(struct strbuf *sb, const char *s)
{
	strbuf__add_clean_part(sb, s, strlen(s));
}

void strbuf__reset(struct strbuf *sb)
{
	sb->len = 0;
	sb->failed = false;
	sb->text[0] = '\0';
}

void strbuf__free(struct strbuf *sb)
{
	if (sb->room)
		free(sb->text);
	*sb = (struct strbuf)STRBUF_INIT;
}

bool strbuf__failed(const struct strbuf *sb)
{
	return sb->failed;
}

char *strbuf__detach(struct strbuf *sb)
{
	char *text = NULL;

	if (strbuf__grow(sb, 0)) {
		text = sb->text;
		sb->room = 0;
	}
	strbuf__free(sb);
	return text;
}
