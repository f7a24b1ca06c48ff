// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses the terms of events. Also contains parser__unexpected() and parser__number(), which
 * parser.c also uses.
 */
#include <errno.h>

#include "util/event/parse-error.h"
#include "util/event/parser.h"

int parser__unexpected(struct parser *p, const struct token *token, const char *expected)
{
	const struct span *span = &token->span;

	switch (token->kind) {
	case TOK_END:
		return parse_error__set(p->error, span->column, "expected %s, but the string ends",
					expected);
	case TOK_UNTERMINATED:
		return parse_error__set(p->error, span->column - 1, "the quote is not closed");
	case TOK_QUOTED:
		return parse_error__set(p->error, span->column - 1,
					"expected %s, but found a quoted word", expected);
	default:
		return parse_error__set(p->error, span->column, "expected %s, but found '%.*s'",
					expected, SPAN_ARG(span));
	}
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

int parser__number(const struct span *span, uint64_t *value, struct parse_error *error)
{
	bool hex = span->len > 2 && span->s[0] == '0' && span->s[1] == 'x', over = false;
	unsigned int base = hex ? 16 : 10;
	uint64_t n = 0;

	if (!span->len)
		return -EINVAL;
	for (size_t i = hex ? 2 : 0; i < span->len; i++) {
		unsigned int d = (unsigned int)digit(span->s[i]);

		if (d >= base)
			return -EINVAL;
		over |= __builtin_mul_overflow(n, base, &n);
		over |= __builtin_add_overflow(n, d, &n);
	}
	if (over) {
		parse_error__set(error, span->column, "the number '%.*s' does not fit in 64 bits",
				 SPAN_ARG(span));
		return -ERANGE;
	}
	*value = n;
	return 0;
}

static int parse_value(struct parser *p, struct ast_term *term)
{
	struct token token = lexer__next(&p->lexer, LEX_TERM);
	int err;

	if (token.kind != TOK_WORD && token.kind != TOK_QUOTED)
		return parser__unexpected(p, &token, "a value");
	term->value = token.span;
	term->kind = TERM_TEXT;
	if (token.kind == TOK_QUOTED)
		return token.span.len ?
			       0 :
			       parse_error__set(p->error, token.span.column, "the value is empty");
	err = parser__number(&token.span, &term->number, p->error);
	if (err == -ERANGE)
		return -EINVAL;
	if (!err)
		term->kind = TERM_NUMBER;
	return 0;
}

static int parse_term(struct parser *p)
{
	struct token token = lexer__next(&p->lexer, LEX_TERM);
	struct ast_term *term;

	if (token.kind != TOK_WORD)
		return parser__unexpected(p, &token, "a term");
	if (token.span.s[0] == '@')
		return parse_error__set(p->error, token.span.column,
					"'@' terms configure trace devices, but pstat only counts");
	term = ast__add_term(p->ast);
	if (!term)
		return -ENOMEM;
	term->name = token.span;
	if (lexer__peek(&p->lexer, LEX_TERM).kind != TOK_EQUALS)
		return 0;
	lexer__next(&p->lexer, LEX_TERM);
	return parse_value(p, term);
}

int parser__terms(struct parser *p, int *nr)
{
	for (*nr = 0;;) {
		size_t column = lexer__peek(&p->lexer, LEX_TERM).span.column;
		int err;

		if (*nr == AST_TERMS_MAX)
			return parse_error__set(p->error, column, "more than %d terms in one event",
						AST_TERMS_MAX);
		err = parse_term(p);
		if (err)
			return err;
		++*nr;
		if (lexer__peek(&p->lexer, LEX_TERM).kind != TOK_COMMA)
			return 0;
		lexer__next(&p->lexer, LEX_TERM);
	}
}

int parser__parse_terms(const char *text, struct ast *ast, struct parse_error *error)
{
	struct parser p = { .lexer = LEXER_INIT(text), .ast = ast, .error = error };
	struct token token;
	int nr, err;

	if (lexer__peek(&p.lexer, LEX_TERM).kind == TOK_END)
		return 0;
	err = parser__terms(&p, &nr);
	if (err)
		return err;
	token = lexer__next(&p.lexer, LEX_TERM);
	return token.kind == TOK_END ? 0 : parser__unexpected(&p, &token, "','");
}
