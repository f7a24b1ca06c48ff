/* SPDX-License-Identifier: GPL-2.0-only */
/* The compiler's output: steps, and which of their values are known. */
#ifndef PSTAT_METRIC_STEPS_H
#define PSTAT_METRIC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/metric/metric-lexer.h"
#include "util/metric/metric-ops.h"

struct metric_env;
struct metric_error;
struct metric_expr;

/* A text being compiled: of the metric itself, or of a metric to which it refers. */
struct metric_source_text {
	const char *name;
	const char *text;
	struct metric_token token; /* the next token */
	int prog;
};

struct metric_compiler {
	const struct metric_env *env;
	struct metric_expr *expr;
	struct metric_error *error;
	/* metric to which its own threshold may refer; NULL: not a threshold */
	const char *threshold_of;
	int depth;
};

struct metric_operand {
	int first; /* index of its first step; its steps extend to the end of the program */
	bool known;
	double value;
};

/* Fills the error. Returns -EINVAL, for `return metric_steps__fail(…)`. */
int metric_steps__fail(struct metric_compiler *c, const struct metric_source_text *s, size_t column, const char *fmt,
		       ...) __attribute__((format(printf, 4, 5)));

/*
 * The following functions return 0; -EINVAL with the error set if there are too many steps; or
 * -ENOMEM.
 */
int metric_steps__add(struct metric_compiler *c, const struct metric_source_text *s, struct metric_step step);
int metric_steps__add_known(struct metric_compiler *c, const struct metric_source_text *s, double value,
			    struct metric_operand *result);
int metric_steps__add_index(struct metric_compiler *c, const struct metric_source_text *s, enum metric_op op, int index,
			    struct metric_operand *result);
/* Replaces all steps from @first on by a number. */
int metric_steps__replace(struct metric_compiler *c, const struct metric_source_text *s, int first, double value,
			  struct metric_operand *result);
/* Add an operator or a choice to the operands at the end of the program. */
int metric_steps__add_operator(struct metric_compiler *c, const struct metric_source_text *s, enum metric_op op,
			       const struct metric_operand *x, const struct metric_operand *y,
			       struct metric_operand *result);
int metric_steps__add_choice(struct metric_compiler *c, const struct metric_source_text *s,
			     const struct metric_operand *value, const struct metric_operand *condition,
			     const struct metric_operand *other, struct metric_operand *result);

/* Removes events that are not needed, and sorts the others by first use. Call this at the end. */
int metric_steps__settle_events(struct metric_expr *expr);

#endif
