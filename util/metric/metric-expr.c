// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles an expression into a program, a list of steps (metric-steps.h), in one pass. Each
 * parse_...() function parses an operand, adds its steps to the end of the program, and stores in
 * *@result where they begin, and whether the value is known. If all operands of an operator are
 * known, or one of them determines the result, a number replaces the steps of the operands. If the
 * condition of a choice is known, only the steps of the chosen side remain. If no remaining step
 * uses an event, pstat need not count it. The program for 1 + 2 * cs grows as follows:
 *
 *	operand		value		steps
 *	────────────────────────────────────────────────────
 *	1		known		1
 *	2		known		1 2
 *	cs (an event)	unknown		1 2 cs
 *	2 * cs		unknown		1 2 cs *
 *	1 + 2 * cs	unknown		1 2 cs * +
 */
#include "util/metric/metric-expr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/metric/metric-steps.h"
#include "util/metric/metric-table.h"

static const struct {
	enum metric_token_kind token;
	int rank;
	enum metric_op op;
} operators[] = {
	{ MTOK_OR, 1, MOP_OR },
	{ MTOK_XOR, 2, MOP_XOR },
	{ MTOK_AND, 3, MOP_AND },
	{ MTOK_LESS, 4, MOP_LESS },
	{ MTOK_GREATER, 4, MOP_GREATER },
	{ MTOK_LESS_EQUAL, 4, MOP_LESS_EQUAL },
	{ MTOK_GREATER_EQUAL, 4, MOP_GREATER_EQUAL },
	{ MTOK_EQUAL, 4, MOP_EQUAL },
	{ MTOK_NOT_EQUAL, 4, MOP_NOT_EQUAL },
	{ MTOK_PLUS, 5, MOP_ADD },
	{ MTOK_MINUS, 5, MOP_SUBTRACT },
	{ MTOK_TIMES, 6, MOP_MULTIPLY },
	{ MTOK_DIVIDE, 6, MOP_DIVIDE },
	{ MTOK_MODULO, 6, MOP_MODULO },
};

static int parse_choice(struct metric_compiler *c, struct metric_source_text *s,
			struct metric_operand *result);

/* ---- tokens ---- */

#define TOKEN_SHOWN 64
#define TOKEN_ARG(token) (int)((token)->len < TOKEN_SHOWN ? (token)->len : TOKEN_SHOWN), (token)->s

static int unexpected(struct metric_compiler *c, const struct metric_source_text *s,
		      const char *expected)
{
	const struct metric_token *token = &s->token;

	switch (token->kind) {
	case MTOK_END:
		return metric_steps__fail(c, s, token->column,
					  "expected %s, but the expression ends", expected);
	case MTOK_UNCLOSED:
		return metric_steps__fail(c, s, token->column, "'%.*s' has no second @",
					  TOKEN_ARG(token));
	case MTOK_RANGE:
		return metric_steps__fail(c, s, token->column, "the number '%.*s' is too large",
					  TOKEN_ARG(token));
	default:
		return metric_steps__fail(c, s, token->column, "expected %s, but found '%.*s'",
					  expected, TOKEN_ARG(token));
	}
}

static void advance(struct metric_source_text *s)
{
	s->token = metric_lexer__next(s->text, s->token.column + s->token.len);
}

static int expect(struct metric_compiler *c, struct metric_source_text *s,
		  enum metric_token_kind kind, const char *what)
{
	if (s->token.kind != kind)
		return unexpected(c, s, what);
	advance(s);
	return 0;
}

static int go_deeper(struct metric_compiler *c, const struct metric_source_text *s)
{
	if (++c->depth > METRIC_DEPTH_MAX)
		return metric_steps__fail(c, s, s->token.column, "more than %d nested levels",
					  METRIC_DEPTH_MAX);
	return 0;
}

/* ---- names ---- */

static int add_event(struct metric_compiler *c, const struct metric_source_text *s,
		     enum metric_op op, const char *name, struct metric_operand *result)
{
	struct metric_expr *expr = c->expr;
	char **events;
	int i = 0;

	while (i < expr->nr_events && strcmp(expr->events[i], name))
		i++;
	if (i == METRIC_EVENTS_MAX)
		return metric_steps__fail(c, s, s->token.column, "more than %d events",
					  METRIC_EVENTS_MAX);
	if (i == expr->nr_events) {
		events = realloc(expr->events, sizeof(*events) * ((size_t)i + 1));
		if (!events)
			return -ENOMEM;
		expr->events = events;
		events[i] = strdup(name);
		if (!events[i])
			return -ENOMEM;
		expr->nr_events++;
	}
	return metric_steps__add_index(c, s, op, i, result);
}

static struct metric_prog *prog_of(const struct metric_compiler *c,
				   const struct metric_source_text *s)
{
	return &c->expr->progs[s->prog];
}

static int new_prog(struct metric_expr *expr, const char *name)
{
	struct metric_prog *progs =
		realloc(expr->progs, sizeof(*progs) * ((size_t)expr->nr_progs + 1));
	int *order;

	if (!progs)
		return -ENOMEM;
	expr->progs = progs;
	order = realloc(expr->order, sizeof(*order) * ((size_t)expr->nr_progs + 1));
	if (!order)
		return -ENOMEM;
	expr->order = order;
	progs[expr->nr_progs] = (struct metric_prog){ .name = strdup(name) };
	if (!progs[expr->nr_progs].name)
		return -ENOMEM;
	return expr->nr_progs++;
}

static int compile_text(struct metric_compiler *c, const char *name, const char *text, int prog)
{
	struct metric_source_text s = { .name = name, .text = text, .prog = prog };
	struct metric_operand result;
	int err;

	s.token = metric_lexer__next(text, 0);
	err = parse_choice(c, &s, &result);
	if (!err && s.token.kind != MTOK_END)
		err = unexpected(c, &s, "an operator");
	if (err)
		return err;
	prog_of(c, &s)->is_done = true;
	c->expr->order[c->expr->nr_done++] = prog;
	return 0;
}

static int add_metric(struct metric_compiler *c, struct metric_source_text *s,
		      const struct metric_def *def, struct metric_operand *result)
{
	struct metric_expr *expr = c->expr;
	int i = c->threshold_of ? 1 : 0, err;

	while (i < expr->nr_progs && strcmp(expr->progs[i].name, def->name))
		i++;
	if (i < expr->nr_progs && !expr->progs[i].is_done)
		return metric_steps__fail(c, s, s->token.column, "the metric '%s' refers to itself",
					  def->name);
	if (i == expr->nr_progs) {
		i = new_prog(expr, def->name);
		if (i < 0)
			return i;
		err = compile_text(c, def->name, def->expr, i);
		if (err)
			return err;
	}
	return metric_steps__add_index(c, s, MOP_METRIC, i, result);
}

static int parse_name(struct metric_compiler *c, struct metric_source_text *s,
		      struct metric_operand *result)
{
	struct strbuf name = STRBUF_INIT;
	const struct metric_def *def;
	int err;

	metric_token__name(&s->token, &name);
	if (strbuf__failed(&name))
		return -ENOMEM;
	def = c->env->find ? c->env->find(c->env->ctx, name.text) : NULL;
	if (def)
		err = go_deeper(c, s) ?: add_metric(c, s, def, result);
	else
		err = add_event(c, s, MOP_EVENT, name.text, result);
	c->depth -= def != NULL;
	strbuf__free(&name);
	advance(s);
	return err;
}

static int parse_literal(struct metric_compiler *c, struct metric_source_text *s,
			 struct metric_operand *result)
{
	char name[TOKEN_SHOWN];
	double value = NAN;
	int err = -ENOENT;

	if (s->token.len < sizeof(name) && c->env->literal) {
		memcpy(name, s->token.s, s->token.len);
		name[s->token.len] = '\0';
		err = c->env->literal(c->env->ctx, name, &value);
	}
	if (err == -ENOENT)
		return metric_steps__fail(c, s, s->token.column, "unknown literal '%.*s'",
					  TOKEN_ARG(&s->token));
	if (err == -ENOMEM)
		return err;
	/* -ENODATA is not an error, because the literal is often on the unused side of a choice */
	err = metric_steps__add_known(c, s, err ? NAN : value, result);
	advance(s);
	return err;
}

/* ---- functions ---- */

static int parse_two(struct metric_compiler *c, struct metric_source_text *s, enum metric_op op,
		     struct metric_operand *result)
{
	struct metric_operand x, y;
	int err;

	advance(s);
	err = expect(c, s, MTOK_OPEN, "'('");
	err = err ?: parse_choice(c, s, &x);
	err = err ?: expect(c, s, MTOK_COMMA, "','");
	err = err ?: parse_choice(c, s, &y);
	err = err ?: expect(c, s, MTOK_CLOSE, "')'");
	return err ?: metric_steps__add_operator(c, s, op, &x, &y, result);
}

/*
 * Parses source_count(EVENT), has_event(EVENT) or strcmp_cpuid_str(CPUID). The argument is a name,
 * not an expression.
 */
static int parse_asking(struct metric_compiler *c, struct metric_source_text *s,
			struct metric_operand *result)
{
	enum metric_token_kind function = s->token.kind;
	struct strbuf word = STRBUF_INIT;
	bool (*ask)(void *ctx, const char *word);
	int err;

	advance(s);
	err = expect(c, s, MTOK_OPEN, "'('");
	if (!err && s->token.kind != MTOK_NAME && s->token.kind != MTOK_NUMBER)
		err = unexpected(c, s, "a name");
	if (err)
		return err;
	metric_token__name(&s->token, &word);
	if (strbuf__failed(&word))
		return -ENOMEM;
	ask = function == MTOK_HAS_EVENT ? c->env->has_event : c->env->is_cpu;
	if (function == MTOK_SOURCE_COUNT)
		err = add_event(c, s, MOP_SOURCES, word.text, result);
	else
		err = metric_steps__add_known(c, s, ask && ask(c->env->ctx, word.text), result);
	strbuf__free(&word);
	advance(s);
	return err ?: expect(c, s, MTOK_CLOSE, "')'");
}

/* ---- the grammar ---- */

static int parse_primary(struct metric_compiler *c, struct metric_source_text *s,
			 struct metric_operand *result)
{
	int err;

	switch (s->token.kind) {
	case MTOK_NUMBER:
		err = metric_steps__add_known(c, s, s->token.number, result);
		advance(s);
		return err;
	case MTOK_NAME:
		if (s->token.len == 3 && !memcmp(s->token.s, "NaN", 3)) {
			advance(s);
			return metric_steps__add_known(c, s, NAN, result);
		}
		return parse_name(c, s, result);
	case MTOK_LITERAL:
		return parse_literal(c, s, result);
	case MTOK_MIN:
		return parse_two(c, s, MOP_MIN, result);
	case MTOK_MAX:
		return parse_two(c, s, MOP_MAX, result);
	case MTOK_D_RATIO:
		return parse_two(c, s, MOP_D_RATIO, result);
	case MTOK_SOURCE_COUNT:
	case MTOK_HAS_EVENT:
	case MTOK_STRCMP_CPUID:
		return parse_asking(c, s, result);
	case MTOK_OPEN:
		advance(s);
		err = parse_choice(c, s, result);
		return err ?: expect(c, s, MTOK_CLOSE, "')'");
	default:
		return unexpected(c, s, "a value");
	}
}

static int parse_unary(struct metric_compiler *c, struct metric_source_text *s,
		       struct metric_operand *result)
{
	bool negative = false;
	int err;

	for (; s->token.kind == MTOK_MINUS; advance(s))
		negative = !negative;
	err = parse_primary(c, s, result);
	if (err || !negative)
		return err;
	if (result->known)
		return metric_steps__replace(c, s, result->first, -result->value, result);
	return metric_steps__add(c, s, (struct metric_step){ .op = MOP_NEGATE });
}

static int find_operator(enum metric_token_kind token)
{
	int i = (int)(sizeof(operators) / sizeof(operators[0])) - 1;

	while (i >= 0 && operators[i].token != token)
		i--;
	return i;
}

/* Parses operators of precedence @rank or higher, all left-associative, and their operands. */
static int parse_operators(struct metric_compiler *c, struct metric_source_text *s, int rank,
			   struct metric_operand *result)
{
	int err = parse_unary(c, s, result);

	while (!err) {
		int i = find_operator(s->token.kind);
		struct metric_operand x = *result, y;

		if (i < 0 || operators[i].rank < rank)
			return 0;
		advance(s);
		err = parse_operators(c, s, operators[i].rank + 1, &y);
		err = err ?: metric_steps__add_operator(c, s, operators[i].op, &x, &y, result);
	}
	return err;
}

static int parse_choice(struct metric_compiler *c, struct metric_source_text *s,
			struct metric_operand *result)
{
	struct metric_operand value, condition, other;
	int err = go_deeper(c, s);

	err = err ?: parse_operators(c, s, 1, result);
	if (!err && s->token.kind == MTOK_IF) {
		value = *result;
		advance(s);
		err = parse_operators(c, s, 1, &condition);
		err = err ?: expect(c, s, MTOK_ELSE, "'else'");
		err = err ?: parse_choice(c, s, &other);
		err = err ?: metric_steps__add_choice(c, s, &value, &condition, &other, result);
	}
	c->depth--;
	return err;
}

/* ---- compiling ---- */

int metric_expr__compile(const char *name, const char *text, bool threshold,
			 const struct metric_env *env, struct metric_expr **result,
			 struct metric_error *error)
{
	struct metric_expr *expr = calloc(1, sizeof(*expr));
	struct metric_compiler c = {
		.env = env,
		.expr = expr,
		.error = error,
		.threshold_of = threshold ? name : NULL,
	};
	int err;

	*result = NULL;
	if (!expr)
		return -ENOMEM;
	metric_error__free(error);
	err = new_prog(expr, name);
	if (!err)
		err = compile_text(&c, name, text, 0);
	err = err ?: metric_steps__sort_events(expr);
	expr->stack = calloc((size_t)expr->nr_steps + 1, sizeof(*expr->stack));
	expr->values = calloc((size_t)expr->nr_events + 1, sizeof(*expr->values));
	if (!expr->stack || !expr->values)
		err = -ENOMEM;
	if (err)
		metric_expr__free(expr);
	else
		*result = expr;
	return err;
}

void metric_expr__free(struct metric_expr *expr)
{
	if (!expr)
		return;
	for (int i = 0; i < expr->nr_progs; i++) {
		free(expr->progs[i].name);
		free(expr->progs[i].steps);
	}
	for (int i = 0; i < expr->nr_events; i++)
		free(expr->events[i]);
	free(expr->progs);
	free(expr->order);
	free(expr->events);
	free(expr->stack);
	free(expr->values);
	free(expr);
}

int metric_expr__nr_events(const struct metric_expr *expr)
{
	return expr->nr_events;
}

struct metric_value *metric_expr__values(struct metric_expr *expr)
{
	return expr->values;
}

const char *metric_expr__event(const struct metric_expr *expr, int i)
{
	return expr->events[i];
}
