/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A string that grows. It is always NUL-terminated, and `text` is never NULL after STRBUF_INIT.
 * After an allocation has failed, all later text is dropped until strbuf__reset(), so one check of
 * strbuf__failed() at the end is enough.
 */
#ifndef PSTAT_BASE_STRBUF_H
#define PSTAT_BASE_STRBUF_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *text;
	size_t len;  /* without the terminating NUL */
	size_t room; /* 0: `text` is not allocated yet */
	bool failed;
};

extern char strbuf_empty[];

#define STRBUF_INIT                  \
	{                            \
		.text = strbuf_empty \
	}

void strbuf__add(struct strbuf *sb, const char *s, size_t len);
void strbuf__adds(struct strbuf *sb, const char *s);
void strbuf__addc(struct strbuf *sb, char c);
/* Adds @nr spaces. Takes far fewer instructions than strbuf__addf() with "%*s". */
void strbuf__add_spaces(struct strbuf *sb, size_t nr);
void strbuf__addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf__vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/*
 * Adds @s, and replaces each control character with '?'. Control characters are C0 (0x00 to 0x1f),
 * DEL, and C1 (0x80 to 0x9f, in UTF-8 or as a byte that is not part of a UTF-8 character). Other
 * users can choose the names of programs, processes and files, and a control character in a name
 * could move the cursor or reprogram the terminal. So each name that pstat writes passes through
 * this function or one of the next two functions, except in JSON and in the labels of metrics,
 * whose writers escape control characters themselves.
 */
void strbuf__add_clean(struct strbuf *sb, const char *s);
/* Adds @len bytes of @s as strbuf__add_clean() does. A NUL counts as a control character too. */
void strbuf__add_clean_part(struct strbuf *sb, const char *s, size_t len);
/* Adds @s as strbuf__add_clean() does, but keeps newlines and tabs. */
void strbuf__add_clean_lines(struct strbuf *sb, const char *s);
void strbuf__reset(struct strbuf *sb);
void strbuf__free(struct strbuf *sb);

bool strbuf__failed(const struct strbuf *sb);

/*
 * Returns the text, which the caller must free, and empties the buffer. Returns NULL if an
 * allocation failed.
 */
char *strbuf__detach(struct strbuf *sb);

#endif
