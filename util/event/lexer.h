/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cuts an event string into tokens. What may stand inside a word depends on where it is, so the parser says what it expects; the
 * lexer itself keeps nothing but its place. White space between tokens means nothing.
 */
#ifndef PSTAT_EVENT_LEXER_H
#define PSTAT_EVENT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

/* A piece of the string that was lexed: not owned, not NUL-terminated. `column` counts from 0. */
struct span {
	const char *s;
	size_t len;
	size_t column;
};

enum token_kind {
	TOK_END,
	TOK_WORD,
	TOK_QUOTED,	  /* '…': the span is what stands between the quotes */
	TOK_UNTERMINATED, /* a quote that nothing closes: the span is the rest */
	TOK_COMMA,
	TOK_COLON,
	TOK_SLASH,
	TOK_EQUALS,
	TOK_OPEN,  /* { */
	TOK_CLOSE, /* } */
	TOK_BAD,   /* a character that has no place here */
};

enum lex_mode {
	LEX_EVENT,   /* names of events, PMUs, tracepoints: letters, digits, _ - . * ? [ ] ! */
	LEX_TERM,    /* between slashes: also : + @ and the like */
	LEX_ADDRESS, /* after mem: also + $ @ */
};

struct token {
	enum token_kind kind;
	struct span span;
};

struct lexer {
	const char *text;
	size_t pos;
};

#define LEXER_INIT(string)       \
	{                        \
		.text = (string) \
	}

/* The next token and the place behind it. At the end it gives TOK_END for ever. */
struct token lexer__next(struct lexer *lexer, enum lex_mode mode);
/* The same without moving on. */
struct token lexer__peek(const struct lexer *lexer, enum lex_mode mode);

bool span__is(const struct span *span, const char *name);
/* Copies to @buf as a C string; false, with @buf empty, when it does not fit in @size bytes. */
bool span__copy(const struct span *span, char *buf, size_t size);

/* How much of a span a message shows: "%.*s" takes the two of it. Long ones are cut. */
#define SPAN_SHOWN 64
#define SPAN_ARG(span) (int)((span)->len < SPAN_SHOWN ? (span)->len : SPAN_SHOWN), (span)->s

#endif
