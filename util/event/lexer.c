// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/lexer.h"

#include <string.h>

/* Unlike isalnum(), this function does not depend on the locale. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool in_set(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_word(char c, enum lex_mode mode)
{
	if (is_alnum(c) || in_set(c, "_-.*?[]!"))
		return true;
	switch (mode) {
	case LEX_EVENT:
		return false;
	case LEX_ADDRESS:
		return in_set(c, "+$@");
	case LEX_TERM:
		return c > ' ' && c < 0x7f && !in_set(c, ",/='{}");
	}
	return false;
}

static enum token_kind punctuation(char c)
{
	switch (c) {
	case '\0':
		return TOK_END;
	case ',':
		return TOK_COMMA;
	case ':':
		return TOK_COLON;
	case '/':
		return TOK_SLASH;
	case '=':
		return TOK_EQUALS;
	case '{':
		return TOK_OPEN;
	case '}':
		return TOK_CLOSE;
	default:
		return TOK_BAD;
	}
}

static struct token quoted(const char *text, size_t pos)
{
	const char *first = text + pos + 1, *end = strchr(first, '\'');
	struct token token = {
		.kind = end ? TOK_QUOTED : TOK_UNTERMINATED,
		.span = { .s = first, .column = pos + 1 },
	};

	token.span.len = end ? (size_t)(end - first) : strlen(first);
	return token;
}

/*
 * Returns whether @text begins with a quote that perf ignores. perf ignores quotes around an event
 * or group (as in '{cpu/event=1,name='a'/}'), unless the quoted text is not empty and consists only
 * of letters, digits and certain other characters.
 */
static bool is_stray_quote(const char *text)
{
	size_t len = 1;

	if (*text != '\'')
		return false;
	while (is_alnum(text[len]) || in_set(text[len], "_*?-,.[]:="))
		len++;
	return len == 1 || text[len] != '\'';
}

struct token lexer__next(struct lexer *lexer, enum lex_mode mode)
{
	struct token token = { .kind = TOK_WORD };
	size_t first;

	while (is_space(lexer->text[lexer->pos]) ||
	       (mode == LEX_EVENT && is_stray_quote(lexer->text + lexer->pos)))
		lexer->pos++;
	first = lexer->pos;
	if (lexer->text[first] == '\'') {
		token = quoted(lexer->text, first);
		lexer->pos = token.span.column + token.span.len + (token.kind == TOK_QUOTED);
		return token;
	}
	while (is_word(lexer->text[lexer->pos], mode))
		lexer->pos++;
	if (lexer->pos == first) {
		token.kind = punctuation(lexer->text[first]);
		lexer->pos += token.kind != TOK_END;
		/*
		 * include all bytes of a UTF-8 character, so that a message shows the whole
		 * character
		 */
		while (token.kind == TOK_BAD && (lexer->text[lexer->pos] & 0xc0) == 0x80)
			lexer->pos++;
	}
	token.span = (struct span){ .s = lexer->text + first,
				    .len = lexer->pos - first,
				    .column = first };
	return token;
}

struct token lexer__peek(const struct lexer *lexer, enum lex_mode mode)
{
	struct lexer ahead = *lexer;

	return lexer__next(&ahead, mode);
}

bool span__is(const struct span *span, const char *name)
{
	return strlen(name) == span->len && !memcmp(span->s, name, span->len);
}

bool span__copy(const struct span *span, char *buf, size_t size)
{
	bool fits = span->len < size;

	if (fits)
		memcpy(buf, span->s, span->len);
	buf[fits ? span->len : 0] = '\0';
	return fits;
}
