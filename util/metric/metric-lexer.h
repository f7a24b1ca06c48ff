/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits the expression of a metric into tokens. White space between tokens is ignored. */
#ifndef PSTAT_METRIC_LEXER_H
#define PSTAT_METRIC_LEXER_H

#include <stddef.h>

struct strbuf;

enum metric_token_kind {
	MTOK_END,
	MTOK_NUMBER,
	MTOK_NAME,    /* name of an event or a metric, as written */
	MTOK_LITERAL, /* #name */
	MTOK_MIN,
	MTOK_MAX,
	MTOK_D_RATIO,
	MTOK_SOURCE_COUNT,
	MTOK_HAS_EVENT,
	MTOK_STRCMP_CPUID,
	MTOK_IF,
	MTOK_ELSE,
	MTOK_OPEN,
	MTOK_CLOSE,
	MTOK_COMMA,
	MTOK_OR,
	MTOK_XOR,
	MTOK_AND,
	MTOK_LESS,
	MTOK_GREATER,
	MTOK_LESS_EQUAL,
	MTOK_GREATER_EQUAL,
	MTOK_EQUAL,
	MTOK_NOT_EQUAL,
	MTOK_PLUS,
	MTOK_MINUS,
	MTOK_TIMES,
	MTOK_DIVIDE,
	MTOK_MODULO,
	MTOK_BAD,      /* a character that is not allowed in an expression */
	MTOK_UNCLOSED, /* a name in which an @ has no second @ */
	MTOK_RANGE,    /* a number that is too large for a double */
};

/*
 * A token. `s` points into the text of the expression, so the token does not end with a NUL.
 * `column` is the offset of `s` in this text.
 */
struct metric_token {
	enum metric_token_kind kind;
	const char *s;
	size_t len;
	size_t column;
	double number; /* the value of MTOK_NUMBER */
};

/*
 * Returns the first token of @text at or after @pos. To get the next token, pass the sum of the
 * token's `column` and `len` as @pos. A name consists of letters, digits, the characters _ . : ?
 * and escapes such as \- and \=. An escape is a backslash and any character except white space. A
 * name can also contain the terms of a PMU's event between two @ signs, for example
 * cpu@event=0x3c,umask=1@. These terms can contain any character except @ and white space.
 */
struct metric_token metric_lexer__next(const char *text, size_t pos);

/*
 * Adds the text of @token, which must be a name or a number, to @name, without backslashes.
 * Replaces '?' with '0', except after a backslash. perf does the same, except on powerpc.
 */
void metric_token__name(const struct metric_token *token, struct strbuf *name);

#endif
