/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses event strings into an AST. The result depends only on the grammar and the fixed names
 * (names.h), not on the machine.
 *
 *	list	= item { "," item }
 *	item	= event | [ name ] "{" event { "," event } "}" [ ":" [ letters ] ]
 *	event	= spec [ terms ] [ letters | ":" [ letters ] ]
 *	spec	= name | rHEX | type ":" config | system ":" name
 *		| "mem:" address [ "/" length ] [ ":" rwx ]
 *	terms	= "/" [ term { "," term } ] "/"
 *	term	= name [ "=" ( number | word | quoted ) ]
 *
 * `letters` are modifiers. They may follow without a colon only after a slash or after rwx.
 */
#ifndef PSTAT_EVENT_PARSER_H
#define PSTAT_EVENT_PARSER_H

#include <stdint.h>

#include "util/event/ast.h"

struct parse_error;

/*
 * Parses @text into @ast, which must be empty. Returns 0; -EINVAL with @error set; or -ENOMEM. The
 * caller must free @ast even after an error.
 */
int parser__parse_list(const char *text, struct ast *ast, struct parse_error *error);

/*
 * Parses terms in the format of event files in sysfs ("event=0x3c,umask=0x1"), and stores them in
 * @ast->terms. Returns the same values as parser__parse_list(). The caller must free @ast even
 * after an error.
 */
int parser__parse_terms(const char *text, struct ast *ast, struct parse_error *error);

/* The rest of this file is used only by parser.c and parser-terms.c. */
struct parser {
	struct lexer lexer;
	struct ast *ast;
	struct parse_error *error;
};

/*
 * Parses terms that are separated by commas. Sets *@nr to their number. Returns the same values as
 * parser__parse_list().
 */
int parser__terms(struct parser *p, int *nr);
/* Sets the error "expected EXPECTED, but found 'TOKEN'". Returns -EINVAL. */
int parser__unexpected(struct parser *p, const struct token *token, const char *expected);
/*
 * Parses all of @span as a decimal or hexadecimal (0x) number. Returns 0; -EINVAL, without setting
 * @error, if @span is not a number; or -ERANGE, with @error set, if the number exceeds 64 bits.
 */
int parser__number(const struct span *span, uint64_t *value, struct parse_error *error);

#endif
