// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-word.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

int scope_word__init(struct scope_word *word, const char *at, const char *end, int column)
{
	char *to;

	word->column = column;
	word->pattern = strndup(at, (size_t)(end - at));
	word->text = to = strdup(word->pattern ?: "");
	if (!word->pattern || !word->text)
		return -ENOMEM;
	for (const char *from = word->pattern; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return 0;
}

int scope_word__copy(struct scope_word *to, const struct scope_word *from)
{
	if (!from->pattern)
		return 0;
	return scope_word__init(to, from->pattern, from->pattern + strlen(from->pattern),
				from->column);
}

void scope_word__free(struct scope_word *word)
{
	free(word->pattern);
	free(word->text);
}

bool scope_word__is_glob(const struct scope_word *word)
{
	for (const char *at = word->pattern; at && *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (strchr("*?[", *at))
			return true;
	}
	return false;
}

bool scope_word__matches(const struct scope_word *word, const char *name)
{
	return !strcmp(word->text, name) ||
	       (scope_word__is_glob(word) && !fnmatch(word->pattern, name, 0));
}

const char *scope_word__find_colon(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		else if (*at == ':' && at + 1 < end && at[1] == ':')
			at++;
		else if (*at == ':')
			return at;
	}
	return NULL;
}

const char *scope_word__find_dots(const char *at)
{
	for (const char *begin = at; *at; at++) {
		size_t nr = strspn(at, ".");

		if (*at == '\\' && at[1]) {
			at++;
		} else if (nr == 2 && at[2] != '/' && (at == begin || at[-1] != '/')) {
			return at;
		} else if (nr) {
			at += nr - 1;
		}
	}
	return NULL;
}

/* Returns whether the text at @at would be read as the ".." that separates two points. */
static bool is_separator(const char *begin, const char *at)
{
	return at[0] == '.' && at[1] == '.' && at[2] != '/' && at[2] != '.' &&
	       (at == begin || (at[-1] != '/' && at[-1] != '.'));
}

void scope_word__escape(struct strbuf *sb, const char *text, const char *special)
{
	for (const char *at = text; *at; at++) {
		bool is_first = at == text;

		/*
		 * Without a backslash, a '+' before a digit would begin an offset, a digit at the
		 * beginning of the word would begin an address, and a colon at the beginning could
		 * become part of "::".
		 */
		if (*at == '\\' || strchr(special, *at) || is_separator(text, at) ||
		    (*at == '+' && isdigit((unsigned char)at[1])) ||
		    (is_first && (*at == ':' || isdigit((unsigned char)*at))))
			strbuf__addc(sb, '\\');
		strbuf__addc(sb, *at);
	}
}
