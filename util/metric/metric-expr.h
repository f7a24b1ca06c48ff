/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of metrics, in the language of the vendors' files for perf (tools/perf/util/expr.y):
 *
 *	value if condition else other	`other` may contain another choice
 *	| ^ & (0 or 1)   < > <= >= == != (0 or 1)   + -   * / %   -x   (x)
 *					by increasing precedence; left-associative
 *	min(x, y)   max(x, y)   d_ratio(x, y): x / y, or 0 if y is 0
 *	source_count(EVENT)   has_event(EVENT)   strcmp_cpuid_str(CPUID)
 *	1.5e-3   NaN   #literal   EVENT   METRIC
 *
 * A missing value is NaN: an event that was not counted, a division by zero, or a result that is
 * too large for a double. An operation on NaN results in NaN, except: 0 & x is 0; 1 | x is 1;
 * d_ratio(x, 0) is 0; a choice has the value of the chosen side, or, if the condition is NaN, the
 * value of both sides if they are equal.
 *
 * An expression is compiled once, for this machine. Operations on known values are computed during
 * compilation. If a choice never chooses a side, the events of this side are not needed. Other
 * metrics to which an expression refers are compiled together with the expression, each of them
 * once.
 */
#ifndef PSTAT_METRIC_EXPR_H
#define PSTAT_METRIC_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"

struct metric_def;
struct metric_expr;

/* Limits, so that no file with metrics can make pstat use much time, memory or stack. */
#define METRIC_DEPTH_MAX 200   /* nested parentheses, choices and metrics */
#define METRIC_STEPS_MAX 65536 /* operands and operators, including those of other metrics */
#define METRIC_EVENTS_MAX 1024

/*
 * The meaning of names and literals on this machine. The pointer to a function may be NULL, which
 * means that the function finds nothing.
 */
struct metric_env {
	/* Returns the metric @name, or NULL if @name is an event. */
	const struct metric_def *(*find)(void *ctx, const char *name);
	/*
	 * Returns 0 and sets *@value; -ENOENT if the literal is unknown; or -ENODATA if this
	 * machine has no value for the literal.
	 */
	int (*literal)(void *ctx, const char *name, double *value);
	bool (*has_event)(void *ctx, const char *event);
	bool (*is_cpu)(void *ctx, const char *cpuid);
	void *ctx;
};

/* The reason why an expression was refused, and the place of the error in the expression. */
struct metric_error {
	/*
	 * the metric that contains the error; this can be a metric to which the compiled metric
	 * refers
	 */
	struct strbuf metric;
	struct strbuf expr;   /* text of the expression */
	size_t column;	      /* place of the error in `expr`, from 0 */
	struct strbuf reason; /* one line without a full stop */
};

#define METRIC_ERROR_INIT                                                         \
	{                                                                         \
		.metric = STRBUF_INIT, .expr = STRBUF_INIT, .reason = STRBUF_INIT \
	}

void metric_error__free(struct metric_error *error);
/* Adds the reason, the expression, and a mark under the column, without a final newline. */
void metric_error__format(const struct metric_error *error, struct strbuf *sb);

/*
 * Compiles @text, which is the expression of the metric @name, or the threshold of this metric if
 * @threshold is set. A metric must not refer to itself, even indirectly, but the threshold of a
 * metric may refer to the metric. Returns 0 and sets *@expr; -EINVAL with the reason in @error; or
 * -ENOMEM.
 */
int metric_expr__compile(const char *name, const char *text, bool threshold,
			 const struct metric_env *env, struct metric_expr **expr,
			 struct metric_error *error);
void metric_expr__free(struct metric_expr *expr);

/*
 * metric_expr__nr_events() returns the number of events that the expression needs, and
 * metric_expr__event() the name of event @i. The events are in the order of their first appearance.
 */
int metric_expr__nr_events(const struct metric_expr *expr);
const char *metric_expr__event(const struct metric_expr *expr, int i);

/*
 * The values of an event in an expression: `value` is its count, or NaN if the event was not
 * counted. `sources`, the value of source_count(EVENT), is the number of PMUs whose counts were
 * added up.
 */
struct metric_value {
	double value;
	double sources;
};

/* Returns an array with room for the values of all events. */
struct metric_value *metric_expr__values(struct metric_expr *expr);
/*
 * Returns the value of the expression. @values has one element for each event. If there is no
 * value, returns NaN. Never returns infinity.
 */
double metric_expr__eval(struct metric_expr *expr, const struct metric_value *values);

#endif
