/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event strings to an AST. It knows the fixed names and the grammar, and nothing of the machine.
 *
 *	list	   = item { "," item }
 *	item	   = event | [ name ] "{" event { "," event } "}" [ ":" [ letters ] ]
 *	event	   = spec [ terms ] [ letters, directly behind the slash, or ":" [ letters ] ]
 *	spec	   = name | rHEX | type ":" config | system ":" name | "mem:" address [ "/" length ] [ ":" rwx ]
 *	terms	   = "/" [ term { "," term } ] "/"
 *	term	   = name [ "=" ( number | word | quoted ) ]
 */
#ifndef PSTAT_EVENT_PARSER_H
#define PSTAT_EVENT_PARSER_H

#include <stdint.h>

#include "util/event/ast.h"

struct parse_error;

/* @ast is filled (empty at the start). 0; -EINVAL with @error set; -ENOMEM. The caller frees @ast in any case. */
int parser__parse_list(const char *text, struct ast *ast, struct parse_error *error);

/* The same for terms alone, as sysfs writes them for a PMU's event: they become @ast->terms. */
int parser__parse_terms(const char *text, struct ast *ast, struct parse_error *error);

/* What the parser's files share. */
struct parser {
	struct lexer lexer;
	struct ast *ast;
	struct parse_error *error;
};

/* Terms up to the token after the last; their number in *@nr. Ends at what is no comma. */
int parser__terms(struct parser *p, int *nr);
/* "unexpected …", by what stands there. Returns -EINVAL. */
int parser__unexpected(struct parser *p, const struct token *token, const char *expected);
/* Decimal or 0x hexadecimal, all of @span. 0; -EINVAL: no number, nothing said; -ERANGE: over 64 bits, @error set. */
int parser__number(const struct span *span, uint64_t *value, struct parse_error *error);

#endif
