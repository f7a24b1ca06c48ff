/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler of metrics' expressions leaves behind: steps, and on the way which of them are known already. */
#ifndef PSTAT_METRIC_STEPS_H
#define PSTAT_METRIC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/metric/metric-lexer.h"
#include "util/metric/metric-ops.h"

struct metric_env;
struct metric_error;
struct metric_expr;

/* One text that is being compiled: that of the metric itself, or of one that it refers to. */
struct metric_source_text {
	const char *name;
	const char *text;
	struct metric_token token; /* the next one */
	int prog;
};

struct metric_compiler {
	const struct metric_env *env;
	struct metric_expr *expr;
	struct metric_error *error;
	const char *threshold_of; /* a threshold may refer to its metric; NULL: no threshold */
	int depth;
};

struct metric_operand {
	int first; /* its steps, to the end of the program */
	bool known;
	double value;
};

/* Fills the error. -EINVAL, for `return metric_steps__fail(…)`. */
int metric_steps__fail(struct metric_compiler *c, const struct metric_source_text *s, size_t column, const char *fmt,
		       ...) __attribute__((format(printf, 4, 5)));

/* All of these: 0; -EINVAL, told, when there are too many; -ENOMEM. */
int metric_steps__add(struct metric_compiler *c, const struct metric_source_text *s, struct metric_step step);
int metric_steps__add_known(struct metric_compiler *c, const struct metric_source_text *s, double value,
			    struct metric_operand *result);
int metric_steps__add_index(struct metric_compiler *c, const struct metric_source_text *s, enum metric_op op, int index,
			    struct metric_operand *result);
/* A number in the place of all steps from @first on. */
int metric_steps__replace(struct metric_compiler *c, const struct metric_source_text *s, int first, double value,
			  struct metric_operand *result);
/* The operands stand at the end, in their order. */
int metric_steps__add_operator(struct metric_compiler *c, const struct metric_source_text *s, enum metric_op op,
			       const struct metric_operand *x, const struct metric_operand *y,
			       struct metric_operand *result);
int metric_steps__add_choice(struct metric_compiler *c, const struct metric_source_text *s,
			     const struct metric_operand *value, const struct metric_operand *condition,
			     const struct metric_operand *other, struct metric_operand *result);

/* At the end: forgets the events that nobody needs, and puts the others in the order of need. */
int metric_steps__settle_events(struct metric_expr *expr);

#endif
