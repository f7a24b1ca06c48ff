/* SPDX-License-Identifier: GPL-2.0-only */
/* Cuts the expression of a metric into tokens. White space between them means nothing. */
#ifndef PSTAT_METRIC_LEXER_H
#define PSTAT_METRIC_LEXER_H

#include <stddef.h>

struct strbuf;

enum metric_token_kind {
	MTOK_END,
	MTOK_NUMBER,
	MTOK_NAME,    /* of an event or a metric, as written */
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
	MTOK_BAD,      /* a character that has no place in an expression */
	MTOK_UNCLOSED, /* an @ that no second one closes */
	MTOK_RANGE,    /* a number that no double holds */
};

/* A piece of the text: not owned, not NUL-terminated. `column` counts from 0. */
struct metric_token {
	enum metric_token_kind kind;
	const char *s;
	size_t len;
	size_t column;
	double number; /* of MTOK_NUMBER */
};

/*
 * The token at @pos of @text; the next one begins at column + len. A name is made of letters, digits and _ . : ? with a
 * backslash before what else would be an operator (\- \, \=), or stands between two @, as PMUs' terms do, where all but
 * white space is taken: cpu@event=0x3c,umask=1@.
 */
struct metric_token metric_lexer__next(const char *text, size_t pos);

/* Adds a name as it is meant: without the backslashes, and with 0 for ?, the parameter that only other machines have. */
void metric_token__name(const struct metric_token *token, struct strbuf *name);

#endif
