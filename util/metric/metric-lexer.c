// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-lexer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/strbuf.h"

static const struct {
	const char *word;
	enum metric_token_kind kind;
} words[] = {
	{ "min", MTOK_MIN },
	{ "max", MTOK_MAX },
	{ "if", MTOK_IF },
	{ "else", MTOK_ELSE },
	{ "d_ratio", MTOK_D_RATIO },
	{ "source_count", MTOK_SOURCE_COUNT },
	{ "has_event", MTOK_HAS_EVENT },
	{ "strcmp_cpuid_str", MTOK_STRCMP_CPUID },
};

/* Longer operators come first, so that the lexer does not mistake <= for <. */
static const struct {
	const char *text;
	enum metric_token_kind kind;
} signs[] = {
	{ "<=", MTOK_LESS_EQUAL }, { ">=", MTOK_GREATER_EQUAL },
	{ "==", MTOK_EQUAL },	   { "!=", MTOK_NOT_EQUAL },
	{ "(", MTOK_OPEN },	   { ")", MTOK_CLOSE },
	{ ",", MTOK_COMMA },	   { "|", MTOK_OR },
	{ "^", MTOK_XOR },	   { "&", MTOK_AND },
	{ "<", MTOK_LESS },	   { ">", MTOK_GREATER },
	{ "+", MTOK_PLUS },	   { "-", MTOK_MINUS },
	{ "*", MTOK_TIMES },	   { "/", MTOK_DIVIDE },
	{ "%", MTOK_MODULO },
};

/* The next three functions, unlike those of <ctype.h>, do not depend on the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("_.:?", c));
}

/* Returns the length of the number at @s, or 0 if there is no number. */
static size_t number_len(const char *s)
{
	size_t digits = 0, len = 0, exponent;

	for (; is_digit(s[len]); len++)
		digits++;
	if (s[len] == '.')
		for (len++; is_digit(s[len]); len++)
			digits++;
	if (!digits)
		return 0;
	exponent = len;
	if (s[exponent] != 'e' && s[exponent] != 'E')
		return len;
	exponent++;
	if (s[exponent] == '-' || s[exponent] == '+')
		exponent++;
	if (!is_digit(s[exponent]))
		return len;
	while (is_digit(s[exponent]))
		exponent++;
	return exponent;
}

/*
 * Returns the length of the name at @s. Sets *@closed to false if the name contains an @ without a
 * second @, and otherwise to true.
 */
static size_t name_len(const char *s, bool *closed)
{
	bool inside = false;
	size_t len = 0;

	for (;; len++) {
		if (s[len] == '@')
			inside = !inside;
		else if (s[len] == '\\' && s[len + 1] && !is_space(s[len + 1]))
			len++;
		else if (!is_name(s[len]) && !(inside && s[len] && !is_space(s[len])))
			break;
	}
	*closed = !inside;
	return len;
}

static enum metric_token_kind word_kind(const struct metric_token *token)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == token->len &&
		    !memcmp(words[i].word, token->s, token->len))
			return words[i].kind;
	return MTOK_NAME;
}

static void read_number(struct metric_token *token)
{
	token->kind = MTOK_NUMBER;
	token->number = decimal__parse(token->s, token->len);
	if (!isfinite(token->number))
		token->kind = MTOK_RANGE;
}

static void read_sign(struct metric_token *token)
{
	token->kind = MTOK_BAD;
	token->len = 1;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t len = strlen(signs[i].text);

		if (!strncmp(token->s, signs[i].text, len)) {
			token->kind = signs[i].kind;
			token->len = len;
			return;
		}
	}
}

struct metric_token metric_lexer__next(const char *text, size_t pos)
{
	struct metric_token token = { .kind = MTOK_END };
	size_t number;
	bool closed;

	while (is_space(text[pos]))
		pos++;
	token.s = text + pos;
	token.column = pos;
	if (!*token.s)
		return token;
	if (*token.s == '#') {
		token.kind = MTOK_LITERAL;
		for (token.len = 1; is_name(token.s[token.len]);)
			token.len++;
		return token;
	}
	/*
	 * 1e9 could be a number or a name, and is treated as a number; but 1e9x and 0x1 are names,
	 * because only the first part of each is a number
	 */
	number = number_len(token.s);
	token.len = name_len(token.s, &closed);
	if (number && number >= token.len) {
		token.len = number;
		read_number(&token);
	} else if (!closed) {
		token.kind = MTOK_UNCLOSED;
	} else if (token.len) {
		token.kind = word_kind(&token);
	} else {
		read_sign(&token);
	}
	return token;
}

void metric_token__name(const struct metric_token *token, struct strbuf *name)
{
	for (size_t i = 0; i < token->len; i++) {
		if (token->s[i] == '\\' && i + 1 < token->len)
			i++;
		else if (token->s[i] == '?') {
			strbuf__addc(name, '0');
			continue;
		}
		strbuf__addc(name, token->s[i]);
	}
}
