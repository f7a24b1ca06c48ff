// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-steps.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/metric/metric-expr.h"

/* ---- errors ---- */

/*
 * A message shows at most SHOWN bytes of an expression, beginning at most SHOWN_BEFORE bytes before
 * the error.
 */
#define SHOWN_BEFORE 60
#define SHOWN 100

void metric_error__free(struct metric_error *error)
{
	strbuf__free(&error->metric);
	strbuf__free(&error->expr);
	strbuf__free(&error->reason);
	*error = (struct metric_error)METRIC_ERROR_INIT;
}

void metric_error__format(const struct metric_error *error, struct strbuf *sb)
{
	size_t first = error->column > SHOWN_BEFORE ? error->column - SHOWN_BEFORE : 0;
	const char *before = first ? "…" : "";

	strbuf__addf(sb, "metric %s: %s\n%s", error->metric.text, error->reason.text, before);
	for (size_t i = first; i < error->expr.len && i < first + SHOWN; i++) {
		char c = error->expr.text[i];

		strbuf__addc(sb, (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c);
	}
	strbuf__addf(sb, "%s\n%*s^", error->expr.len > first + SHOWN ? "…" : "",
		     (int)(error->column - first) + (first ? 1 : 0), "");
}

int metric_steps__fail(struct metric_compiler *c, const struct metric_source_text *s, size_t column,
		       const char *fmt, ...)
{
	va_list ap;

	strbuf__adds(&c->error->metric, s->name);
	strbuf__adds(&c->error->expr, s->text);
	c->error->column = column;
	va_start(ap, fmt);
	strbuf__vaddf(&c->error->reason, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- steps ---- */

static struct metric_prog *prog_of(const struct metric_compiler *c,
				   const struct metric_source_text *s)
{
	return &c->expr->progs[s->prog];
}

int metric_steps__add(struct metric_compiler *c, const struct metric_source_text *s,
		      struct metric_step step)
{
	struct metric_prog *prog = prog_of(c, s);

	if (++c->expr->nr_steps > METRIC_STEPS_MAX)
		return metric_steps__fail(c, s, s->token.column,
					  "more than %d operands and operators", METRIC_STEPS_MAX);
	if (prog->nr_steps == prog->room) {
		int room = prog->room ? prog->room * 2 : 16;
		struct metric_step *steps = realloc(prog->steps, sizeof(*steps) * (size_t)room);

		if (!steps)
			return -ENOMEM;
		prog->steps = steps;
		prog->room = room;
	}
	prog->steps[prog->nr_steps++] = step;
	return 0;
}

int metric_steps__add_known(struct metric_compiler *c, const struct metric_source_text *s,
			    double value, struct metric_operand *result)
{
	*result = (struct metric_operand){ .first = prog_of(c, s)->nr_steps,
					   .known = true,
					   .value = value };
	return metric_steps__add(c, s, (struct metric_step){ .op = MOP_NUMBER, .number = value });
}

int metric_steps__add_index(struct metric_compiler *c, const struct metric_source_text *s,
			    enum metric_op op, int index, struct metric_operand *result)
{
	*result = (struct metric_operand){ .first = prog_of(c, s)->nr_steps };
	return metric_steps__add(c, s, (struct metric_step){ .op = op, .index = index });
}

int metric_steps__replace(struct metric_compiler *c, const struct metric_source_text *s, int first,
			  double value, struct metric_operand *result)
{
	prog_of(c, s)->nr_steps = first;
	return metric_steps__add_known(c, s, value, result);
}

static bool is_true(const struct metric_operand *x)
{
	return x->known && !isnan(x->value) && x->value != 0.0;
}

/* Returns whether one known operand determines the result of @op. If so, *@value is the result. */
static bool decides(enum metric_op op, const struct metric_operand *x,
		    const struct metric_operand *y, double *value)
{
	switch (op) {
	case MOP_OR:
		*value = 1.0;
		return is_true(x) || is_true(y);
	case MOP_AND:
	case MOP_D_RATIO:
		*value = 0.0;
		return (op == MOP_AND && x->known && x->value == 0.0) ||
		       (y->known && y->value == 0.0);
	case MOP_DIVIDE:
	case MOP_MODULO:
		*value = NAN;
		return y->known && y->value == 0.0;
	default:
		return false;
	}
}

int metric_steps__add_operator(struct metric_compiler *c, const struct metric_source_text *s,
			       enum metric_op op, const struct metric_operand *x,
			       const struct metric_operand *y, struct metric_operand *result)
{
	double value;

	if (x->known && y->known)
		return metric_steps__replace(c, s, x->first,
					     metric_op__apply(op, x->value, y->value), result);
	if (decides(op, x, y, &value))
		return metric_steps__replace(c, s, x->first, value, result);
	*result = (struct metric_operand){ .first = x->first };
	return metric_steps__add(c, s, (struct metric_step){ .op = op });
}

/* Removes the steps [@first, @end). */
static void cut(struct metric_prog *prog, int first, int end)
{
	memmove(&prog->steps[first], &prog->steps[end],
		sizeof(*prog->steps) * (size_t)(prog->nr_steps - end));
	prog->nr_steps -= end - first;
}

int metric_steps__add_choice(struct metric_compiler *c, const struct metric_source_text *s,
			     const struct metric_operand *value,
			     const struct metric_operand *condition,
			     const struct metric_operand *other, struct metric_operand *result)
{
	struct metric_prog *prog = prog_of(c, s);

	if (value->known && other->known && value->value == other->value)
		return metric_steps__replace(c, s, value->first, value->value, result);
	*result = (struct metric_operand){ .first = value->first };
	if (!condition->known || isnan(condition->value))
		return metric_steps__add(c, s, (struct metric_step){ .op = MOP_SELECT });
	if (condition->value != 0.0) {
		*result = *value;
		prog->nr_steps = condition->first;
		return 0;
	}
	*result = *other;
	result->first = value->first;
	cut(prog, value->first, other->first);
	return 0;
}

/*
 * Sets `needed` in the program @prog and in all programs to which it refers. Assigns new indexes to
 * the events that these programs use, in the order of first use, and stores the new indexes in the
 * steps. @new_index[i] is the new index of event i, or -1 if it has none yet. *@nr is the number of
 * new indexes assigned so far.
 */
static void mark_needed(struct metric_expr *expr, int prog, int *new_index, int *nr)
{
	struct metric_prog *p = &expr->progs[prog];

	if (p->needed)
		return;
	p->needed = true;
	for (int i = 0; i < p->nr_steps; i++) {
		struct metric_step *step = &p->steps[i];

		if (step->op == MOP_METRIC) {
			mark_needed(expr, step->index, new_index, nr);
		} else if (step->op == MOP_EVENT || step->op == MOP_SOURCES) {
			if (new_index[step->index] < 0)
				new_index[step->index] = (*nr)++;
			step->index = new_index[step->index];
		}
	}
}

int metric_steps__sort_events(struct metric_expr *expr)
{
	size_t size = (size_t)expr->nr_events + 1;
	int *new_index = malloc(sizeof(*new_index) * size), nr = 0;
	char **events = calloc(size, sizeof(*events));

	if (!new_index || !events) {
		free(new_index);
		free(events);
		return -ENOMEM;
	}
	for (int i = 0; i < expr->nr_events; i++)
		new_index[i] = -1;
	mark_needed(expr, 0, new_index, &nr);
	for (int i = 0; i < expr->nr_events; i++) {
		if (new_index[i] < 0)
			free(expr->events[i]);
		else
			events[new_index[i]] = expr->events[i];
	}
	free(new_index);
	free(expr->events);
	expr->events = events;
	expr->nr_events = nr;
	return 0;
}
