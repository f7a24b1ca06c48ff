/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The expressions of metrics, in the language that the vendors' files for perf are written in (tools/perf/util/expr.y):
 *
 *	value if condition else other		the other may be such a choice again
 *	| ^ & (truth: 0 or 1)   < > <= >= == != (0 or 1)   + -   * / %   -x   (x)	from loose to tight, left to right
 *	min(x, y)   max(x, y)   d_ratio(x, y): x / y, or 0 where y is 0
 *	source_count(EVENT)   has_event(EVENT)   strcmp_cpuid_str(CPUID)
 *	1.5e-3   NaN   #literal   EVENT   METRIC
 *
 * What is missing has no value (NaN): an event that was not counted, a division by zero, a result that no double holds. Whatever
 * is made of it has no value either, but for: 0 & x is 0; 1 | x is 1; d_ratio(x, 0) is 0; of a choice only the side that is taken
 * matters, and when that is not known both must be the same.
 *
 * An expression is compiled once, on one machine: what is known then is computed then, and the events of a side of a choice
 * that is never taken are not needed. Metrics that it refers to are compiled with it, each once.
 */
#ifndef PSTAT_METRIC_EXPR_H
#define PSTAT_METRIC_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"

struct metric_def;
struct metric_expr;

/* Bounds, so that no file costs much time, memory or stack. */
#define METRIC_DEPTH_MAX 200   /* parentheses, choices and metrics inside each other */
#define METRIC_STEPS_MAX 65536 /* operands and operators, those of the metrics referred to included */
#define METRIC_EVENTS_MAX 1024

/* What the words of an expression mean on this machine. A function that is NULL knows nothing. */
struct metric_env {
	/* The metric of that name, or NULL: then the name is an event's. */
	const struct metric_def *(*find)(void *ctx, const char *name);
	/* 0 and *@value; -ENOENT for a literal that nobody knows; -ENODATA for one that this machine does not tell. */
	int (*literal)(void *ctx, const char *name, double *value);
	bool (*has_event)(void *ctx, const char *event);
	bool (*is_cpu)(void *ctx, const char *cpuid);
	void *ctx;
};

/* Why an expression was refused, and where. */
struct metric_error {
	struct strbuf metric; /* whose expression it is: that of a metric referred to, perhaps */
	struct strbuf expr;   /* its text */
	size_t column;	      /* in it, from 0 */
	struct strbuf reason; /* one line without full stop */
};

#define METRIC_ERROR_INIT                                                         \
	{                                                                         \
		.metric = STRBUF_INIT, .expr = STRBUF_INIT, .reason = STRBUF_INIT \
	}

void metric_error__free(struct metric_error *error);
/* What is wrong, the expression, and a mark under the column; lines without an end on the last. */
void metric_error__format(const struct metric_error *error, struct strbuf *sb);

/*
 * Compiles @text, the expression of the metric @name. A metric may not refer to itself, not by way of others either; @threshold:
 * this is its threshold, which does. 0 and *@expr; -EINVAL and @error filled; -ENOMEM.
 */
int metric_expr__compile(const char *name, const char *text, bool threshold, const struct metric_env *env,
			 struct metric_expr **expr, struct metric_error *error);
void metric_expr__free(struct metric_expr *expr);

/* The events that it needs, in the order in which they are named first. */
int metric_expr__nr_events(const struct metric_expr *expr);
const char *metric_expr__event(const struct metric_expr *expr, int i);

/* Of an event: NaN when there is no count; and how many PMUs' events were added up in it. */
struct metric_value {
	double value;
	double sources;
};

/* @values of all its events. NaN when there is no value, and never infinite. */
double metric_expr__eval(struct metric_expr *expr, const struct metric_value *values);

#endif
