// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/parser.h"

#include <errno.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/names.h"
#include "util/event/parse-error.h"

/* ---- the AST ---- */

void ast__free(struct ast *ast)
{
	free(ast->events);
	free(ast->terms);
	free(ast->groups);
	*ast = (struct ast){ 0 };
}

/*
 * Adds one zeroed element of @size bytes to an array that doubles when it is full. *@room cannot
 * overflow, because the parser keeps the number of elements far below INT_MAX.
 */
static void *add(void **array, int *nr, int *room, size_t size)
{
	if (*nr == *room) {
		int more = *room ? *room * 2 : 8;
		void *grown = realloc(*array, size * (size_t)more);

		if (!grown)
			return NULL;
		*array = grown;
		*room = more;
	}
	return memset((char *)*array + size * (size_t)(*nr)++, 0, size);
}

struct ast_event *ast__add_event(struct ast *ast)
{
	return add((void **)&ast->events, &ast->nr_events, &ast->events_room, sizeof(*ast->events));
}

struct ast_term *ast__add_term(struct ast *ast)
{
	return add((void **)&ast->terms, &ast->nr_terms, &ast->terms_room, sizeof(*ast->terms));
}

struct ast_group *ast__add_group(struct ast *ast)
{
	return add((void **)&ast->groups, &ast->nr_groups, &ast->groups_room, sizeof(*ast->groups));
}

/* ---- words ---- */

/*
 * Parses rNNN, with one to sixteen hexadecimal digits. As in perf, `read` is the raw event 0xead.
 */
static bool is_raw(const struct span *word, uint64_t *config)
{
	uint64_t n = 0;

	if (word->len < 2 || word->len > 17 || word->s[0] != 'r')
		return false;
	for (size_t i = 1; i < word->len; i++) {
		char c = word->s[i];

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			n = n << 4 | (uint64_t)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*config = n;
	return true;
}

static bool is_fixed_name(const struct span *word)
{
	const char *why;
	uint64_t config;

	return event_name__find(word) || event_name__decode_cache(word, &config, &why) != -ENOENT;
}

static int parse_modifiers(struct parser *p, struct ast_event *event)
{
	struct token token = lexer__peek(&p->lexer, LEX_EVENT);
	bool colon = token.kind == TOK_COLON;

	if (colon) {
		lexer__next(&p->lexer, LEX_EVENT);
		token = lexer__peek(&p->lexer, LEX_EVENT);
	}
	if (token.kind != TOK_WORD || (!colon && !event->slashes))
		return 0;
	lexer__next(&p->lexer, LEX_EVENT);
	event->modified = true;
	return modifiers__parse(&token.span, &event->mod, p->error);
}

static int parse_slashes(struct parser *p, struct ast_event *event)
{
	struct token open = lexer__peek(&p->lexer, LEX_EVENT), close;
	int err = 0;

	if (open.kind != TOK_SLASH)
		return 0;
	lexer__next(&p->lexer, LEX_EVENT);
	event->slashes = true;
	event->first_term = p->ast->nr_terms;
	if (lexer__peek(&p->lexer, LEX_TERM).kind == TOK_END)
		return parse_error__set(p->error, open.span.column, "'/' is never closed");
	if (lexer__peek(&p->lexer, LEX_TERM).kind != TOK_SLASH)
		err = parser__terms(p, &event->nr_terms);
	if (err)
		return err;
	close = lexer__next(&p->lexer, LEX_TERM);
	if (close.kind == TOK_SLASH)
		return 0;
	if (close.kind == TOK_END)
		return parse_error__set(p->error, open.span.column, "'/' is never closed");
	return parser__unexpected(p, &close, "',' or '/'");
}

/*
 * Parses ":rwx" after an address. Stops at the first letter other than r, w or x, because modifiers
 * begin there.
 */
static int parse_access(struct parser *p, struct ast_event *event)
{
	struct lexer ahead = p->lexer;
	struct token word;

	if (lexer__next(&ahead, LEX_EVENT).kind != TOK_COLON)
		return 0;
	word = lexer__next(&ahead, LEX_EVENT);
	if (word.kind != TOK_WORD)
		return 0;
	for (size_t i = 0; i < word.span.len; i++) {
		char c = word.span.s[i];
		uint32_t bit = c == 'r' ? HW_BREAKPOINT_R :
			       c == 'w' ? HW_BREAKPOINT_W :
			       c == 'x' ? HW_BREAKPOINT_X :
					  0;

		if (!bit)
			break;
		if (event->access & bit)
			return parse_error__set(p->error, word.span.column + i,
						"duplicate access '%c'", c);
		event->access |= bit;
		p->lexer.pos = word.span.column + i + 1;
	}
	return 0;
}

/* Parses modifiers, which may follow :rwx without a colon. */
static int parse_breakpoint_modifiers(struct parser *p, struct ast_event *event)
{
	struct token token = lexer__peek(&p->lexer, LEX_EVENT);

	if (!event->access || token.kind != TOK_WORD)
		return parse_modifiers(p, event);
	lexer__next(&p->lexer, LEX_EVENT);
	event->modified = true;
	return modifiers__parse(&token.span, &event->mod, p->error);
}

static int parse_breakpoint(struct parser *p, struct ast_event *event)
{
	struct token token;
	struct lexer ahead;
	int err;

	lexer__next(&p->lexer, LEX_EVENT);
	token = lexer__next(&p->lexer, LEX_ADDRESS);
	if (token.kind != TOK_WORD)
		return parser__unexpected(p, &token, "an address");
	event->kind = AST_BREAKPOINT;
	event->name = token.span;
	err = parser__number(&token.span, &event->address, p->error);
	if (err == -ERANGE)
		return -EINVAL;
	event->has_address = !err;

	/* after a slash, a digit begins a length, and a letter begins terms */
	ahead = p->lexer;
	if (lexer__next(&ahead, LEX_EVENT).kind == TOK_SLASH) {
		token = lexer__next(&ahead, LEX_EVENT);
		if (token.kind == TOK_WORD && token.span.s[0] >= '0' && token.span.s[0] <= '9') {
			err = parser__number(&token.span, &event->len, p->error);
			if (err)
				return parse_error__set(p->error, token.span.column,
							"the length in bytes must be a number");
			event->len_given = true;
			p->lexer = ahead;
		}
	}
	err = parse_access(p, event);
	err = err ?: parse_slashes(p, event);
	return err ?: parse_breakpoint_modifiers(p, event);
}

static int parse_numeric(struct parser *p, struct ast_event *event, uint64_t type)
{
	struct token token = lexer__next(&p->lexer, LEX_EVENT);
	int err;

	if (token.kind != TOK_COLON)
		return parse_error__set(
			p->error, event->name.column,
			"a number is not an event: write TYPE:CONFIG, or rHEX for a raw event");
	if (type > UINT32_MAX)
		return parse_error__set(p->error, event->name.column,
					"the type '%.*s' does not fit in 32 bits",
					SPAN_ARG(&event->name));
	token = lexer__next(&p->lexer, LEX_EVENT);
	if (token.kind != TOK_WORD)
		return parser__unexpected(p, &token, "a number");
	err = parser__number(&token.span, &event->config, p->error);
	if (err)
		return parse_error__set(p->error, token.span.column,
					"expected a number, but found '%.*s'",
					SPAN_ARG(&token.span));
	event->kind = AST_NUMERIC;
	event->type = (uint32_t)type;
	return 0;
}

/*
 * If event->name is followed by ":NAME", makes @event a tracepoint and returns true, unless
 * event->name is in names.h, or all letters of NAME are modifiers.
 */
static bool take_tracepoint(struct parser *p, struct ast_event *event)
{
	struct lexer ahead = p->lexer;
	struct token word;

	if (lexer__next(&ahead, LEX_EVENT).kind != TOK_COLON)
		return false;
	word = lexer__next(&ahead, LEX_EVENT);
	if (word.kind != TOK_WORD || modifiers__spelled(&word.span) || is_fixed_name(&event->name))
		return false;
	event->kind = AST_TRACEPOINT;
	event->event = word.span;
	p->lexer = ahead;
	return true;
}

static bool is_mem(const struct parser *p, const struct span *word)
{
	return span__is(word, "mem") && lexer__peek(&p->lexer, LEX_EVENT).kind == TOK_COLON;
}

static int parse_spec(struct parser *p, struct ast_event *event)
{
	uint64_t number;
	int err;

	if (is_mem(p, &event->name))
		return parse_breakpoint(p, event);

	err = parser__number(&event->name, &number, p->error);
	if (err == -ERANGE)
		return -EINVAL;
	if (!err) {
		err = parse_numeric(p, event, number);
		if (err)
			return err;
	} else if (is_raw(&event->name, &event->config)) {
		event->kind = AST_NUMERIC;
		event->type = PERF_TYPE_RAW;
	} else if (!take_tracepoint(p, event)) {
		event->kind = AST_NAME;
	}
	err = parse_slashes(p, event);
	if (event->kind == AST_NAME && event->slashes && !is_fixed_name(&event->name))
		event->kind = AST_PMU;
	return err ?: parse_modifiers(p, event);
}

/*
 * Sets the text of an event that begins at @start and ends before the position of the lexer. As in
 * perf, spaces before and after the event are part of its text. Unlike in perf, tabs and line feeds
 * before and after the event are not part of the text. Spaces next to a tab or line feed are not
 * part of the text, either.
 */
static void set_text(const struct parser *p, struct ast_event *event, const struct span *start)
{
	const char *text = p->lexer.text;
	size_t first = start->column, end = p->lexer.pos;

	while (first > 0 && text[first - 1] == ' ')
		first--;
	while (text[end] == ' ')
		end++;
	if (first > 0 && text[first - 1] >= '\t' && text[first - 1] <= '\r')
		first = start->column;
	if (text[end] >= '\t' && text[end] <= '\r')
		end = p->lexer.pos;
	event->text =
		(struct span){ .s = text + first, .len = end - first, .column = start->column };
}

static int parse_event(struct parser *p)
{
	struct token token = lexer__next(&p->lexer, LEX_EVENT);
	struct ast_event *event;
	int err;

	if (token.kind == TOK_OPEN)
		return parse_error__set(p->error, token.span.column,
					"a group cannot contain a group");
	if (token.kind == TOK_CLOSE)
		return parse_error__set(p->error, token.span.column,
					"expected an event, but found '}'");
	if (token.kind != TOK_WORD)
		return parser__unexpected(p, &token, "an event");
	if (token.span.s[0] == '-' || token.span.s[0] == '.' || token.span.s[0] == '!')
		return parse_error__set(p->error, token.span.column,
					"an event cannot begin with '%c'", token.span.s[0]);
	if (p->ast->nr_events == AST_EVENTS_MAX)
		return parse_error__set(p->error, token.span.column, "more than %d events",
					AST_EVENTS_MAX);
	event = ast__add_event(p->ast);
	if (!event)
		return -ENOMEM;
	event->name = token.span;
	err = parse_spec(p, event);
	if (err)
		return err;
	set_text(p, event, &token.span);
	return 0;
}

static int parse_group_modifiers(struct parser *p, struct ast_group *group)
{
	struct token token = lexer__peek(&p->lexer, LEX_EVENT);

	if (token.kind != TOK_COLON)
		return 0;
	lexer__next(&p->lexer, LEX_EVENT);
	token = lexer__peek(&p->lexer, LEX_EVENT);
	if (token.kind != TOK_WORD)
		return 0;
	lexer__next(&p->lexer, LEX_EVENT);
	return modifiers__parse(&token.span, &group->mod, p->error);
}

static int parse_group(struct parser *p, const struct token *open)
{
	struct ast_group *group = ast__add_group(p->ast);
	struct token token;
	int err;

	if (!group)
		return -ENOMEM;
	group->braces = true;
	group->first_event = p->ast->nr_events;
	if (lexer__peek(&p->lexer, LEX_EVENT).kind == TOK_CLOSE)
		return parse_error__set(p->error, open->span.column, "a group without events");
	do {
		if (lexer__peek(&p->lexer, LEX_EVENT).kind == TOK_END)
			return parse_error__set(p->error, open->span.column, "'{' is never closed");
		err = parse_event(p);
		if (err)
			return err;
		group->nr_events++;
		token = lexer__next(&p->lexer, LEX_EVENT);
	} while (token.kind == TOK_COMMA);
	if (token.kind == TOK_END)
		return parse_error__set(p->error, open->span.column, "'{' is never closed");
	if (token.kind != TOK_CLOSE)
		return parser__unexpected(p, &token, "',' or '}'");
	return parse_group_modifiers(p, group);
}

/* Parses an event or a group. A group can have a name, which is ignored. */
static int parse_item(struct parser *p)
{
	struct lexer ahead = p->lexer;
	struct token token = lexer__next(&ahead, LEX_EVENT);
	struct ast_group *group;

	if (token.kind == TOK_WORD && lexer__peek(&ahead, LEX_EVENT).kind == TOK_OPEN)
		token = lexer__next(&ahead, LEX_EVENT);
	if (token.kind == TOK_OPEN) {
		p->lexer = ahead;
		return parse_group(p, &token);
	}
	if (token.kind == TOK_CLOSE)
		return parse_error__set(p->error, token.span.column, "'}' without '{'");
	group = ast__add_group(p->ast);
	if (!group)
		return -ENOMEM;
	group->first_event = p->ast->nr_events;
	group->nr_events = 1;
	return parse_event(p);
}

int parser__parse_list(const char *text, struct ast *ast, struct parse_error *error)
{
	struct parser p = { .lexer = LEXER_INIT(text), .ast = ast, .error = error };
	struct token token;
	int err;

	if (lexer__peek(&p.lexer, LEX_EVENT).kind == TOK_END)
		return parse_error__set(error, 0, "no event is given");
	do {
		err = parse_item(&p);
		if (err)
			return err;
		token = lexer__next(&p.lexer, LEX_EVENT);
	} while (token.kind == TOK_COMMA);
	if (token.kind == TOK_END)
		return 0;
	if (token.kind == TOK_CLOSE)
		return parse_error__set(error, token.span.column, "'}' without '{'");
	return parser__unexpected(&p, &token, "','");
}
