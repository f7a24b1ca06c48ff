/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splits an event string into tokens. The characters that a word (TOK_WORD) can contain depend on
 * the context, so the parser passes a mode. The lexer's only state is its position. White space
 * between tokens is ignored.
 */
#ifndef PSTAT_EVENT_LEXER_H
#define PSTAT_EVENT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A part of the event string. The span does not own its text, which is not NUL-terminated. `column`
 * is the position of the text in the string, counted from 0.
 */
struct span {
	const char *s;
	size_t len;
	size_t column;
};

enum token_kind {
	TOK_END,
	TOK_WORD,
	TOK_QUOTED,	  /* '…': the span is the text between the quotes */
	TOK_UNTERMINATED, /* a quote that is not closed; the span is the rest of the string */
	TOK_COMMA,
	TOK_COLON,
	TOK_SLASH,
	TOK_EQUALS,
	TOK_OPEN,  /* { */
	TOK_CLOSE, /* } */
	TOK_BAD,   /* any other character */
};

enum lex_mode {
	/*
	 * names of events, PMUs and tracepoints: letters, digits, _ - . * ? [ ] !; quotes are
	 * ignored unless they enclose simple text (is_stray_quote() in lexer.c)
	 */
	LEX_EVENT,
	LEX_TERM,    /* between slashes: all printable ASCII characters except space , / = ' { } */
	LEX_ADDRESS, /* after "mem:": the characters of LEX_EVENT, and + $ @ */
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

/* Returns the next token and moves past it. At the end, always returns TOK_END. */
struct token lexer__next(struct lexer *lexer, enum lex_mode mode);
/* Returns the next token without moving past it. */
struct token lexer__peek(const struct lexer *lexer, enum lex_mode mode);

bool span__is(const struct span *span, const char *name);
/*
 * Copies the span to @buf as a C string. If it does not fit into @size bytes, makes @buf empty and
 * returns false.
 */
bool span__copy(const struct span *span, char *buf, size_t size);

/* Arguments for "%.*s" that limit a span in a message to SPAN_SHOWN characters. */
#define SPAN_SHOWN 64
#define SPAN_ARG(span) (int)((span)->len < SPAN_SHOWN ? (span)->len : SPAN_SHOWN), (span)->s

#endif
