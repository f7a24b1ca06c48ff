/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of metrics, in the language of the vendors' files for perf (tools/perf/util/expr.y):
 *
 *	value if condition else other	a choice; `other` may be another choice
 *	|   ^   &   < > <= >= == !=   + -   * / %   -x   (x)
 *					lowest precedence first; left-associative; the
 *					results of | ^ & and of comparisons are 0 or 1
 *	min(x, y)   max(x, y)   d_ratio(x, y): x / y, or 0 if y is 0
 *	source_count(EVENT)   has_event(EVENT)   strcmp_cpuid_str(CPUID)
 *	1.5e-3   NaN   #literal   EVENT   METRIC
 *
 * source_count() is the number of PMUs whose counts of the event were added up. has_event() is 1 if
 * this machine has the event, otherwise 0. strcmp_cpuid_str() is 1 if the pattern CPUID matches the
 * CPU of this machine, otherwise 0.
 *
 * A missing value is NaN. A value is missing if an event was not counted, if this machine has no
 * value for a literal, if a divisor is 0, or if a result is too large for a double. If an operand
 * is NaN, the result is NaN. But even if x is NaN, 0 & x is 0, 1 | x is 1, and d_ratio(x, 0) is 0.
 * A choice does not depend on the side that is not chosen. If the condition of a choice is NaN, the
 * result is NaN unless both sides have the same value.
 *
 * An expression is compiled once, for this machine. The compiler computes operations whose operands
 * it knows, such as numbers and literals (#smt_on). If it knows the condition of a choice, it omits
 * the side that is not chosen, so pstat need not count events that are used only there. Other
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

/* These limits prevent the metrics of a file from taking too much time, memory or stack. */
#define METRIC_DEPTH_MAX 200   /* levels of nested parentheses, choices and metrics */
#define METRIC_STEPS_MAX 65536 /* operands and operators, including those of other metrics */
#define METRIC_EVENTS_MAX 1024

/*
 * Functions that return the meaning of names and literals on this machine. A NULL pointer has the
 * same effect as a function that finds nothing.
 */
struct metric_env {
	/* Returns the metric @name, or NULL if @name is an event. */
	const struct metric_def *(*find)(void *ctx, const char *name);
	/*
	 * Returns 0 and sets *@value; -ENOENT if the literal is unknown; -ENODATA if this machine
	 * has no value for the literal; or -ENOMEM.
	 */
	int (*literal)(void *ctx, const char *name, double *value);
	bool (*has_event)(void *ctx, const char *event);
	bool (*is_cpu)(void *ctx, const char *cpuid);
	void *ctx;
};

/* The reason why an expression was refused, and the position of the error. */
struct metric_error {
	/*
	 * the metric whose expression contains the error; it can be a metric to which the compiled
	 * metric refers
	 */
	struct strbuf metric;
	struct strbuf expr;   /* text of this expression */
	size_t column;	      /* position of the error in `expr`, from 0 */
	struct strbuf reason; /* one line without a full stop */
};

#define METRIC_ERROR_INIT                                                         \
	{                                                                         \
		.metric = STRBUF_INIT, .expr = STRBUF_INIT, .reason = STRBUF_INIT \
	}

void metric_error__free(struct metric_error *error);
/* Adds the reason, the expression, and a mark below the error to @sb, without a final newline. */
void metric_error__format(const struct metric_error *error, struct strbuf *sb);

/*
 * Compiles @text, which must be the expression of the metric @name or, if @threshold is set, the
 * threshold of this metric. An expression must not refer to its own metric, even indirectly, but a
 * threshold may. Returns 0 and sets *@expr; -EINVAL, with the reason in @error, if an expression is
 * invalid; or -ENOMEM.
 */
int metric_expr__compile(const char *name, const char *text, bool threshold,
			 const struct metric_env *env, struct metric_expr **expr,
			 struct metric_error *error);
void metric_expr__free(struct metric_expr *expr);

/*
 * metric_expr__nr_events() returns the number of events that the expression needs.
 * metric_expr__event() returns the name of event @i. The events are in the order in which the
 * expression first uses them.
 */
int metric_expr__nr_events(const struct metric_expr *expr);
const char *metric_expr__event(const struct metric_expr *expr, int i);

/*
 * The values of an event in an expression. `value` is its count, or NaN if the event was not
 * counted. `sources` is the value of source_count(EVENT): the number of PMUs whose counts were
 * added up.
 */
struct metric_value {
	double value;
	double sources;
};

/* Returns an array that @expr owns, with room for the values of all events. */
struct metric_value *metric_expr__values(struct metric_expr *expr);
/*
 * Returns the value of the expression, or NaN if it has no value. Never returns infinity. @values
 * has an element for each event, in the order of metric_expr__event().
 */
double metric_expr__eval(struct metric_expr *expr, const struct metric_value *values);

#endif
