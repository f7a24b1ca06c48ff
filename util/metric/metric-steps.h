/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiled expressions, which consist of steps of a stack machine. Computes values that are known
 * during the compilation.
 */
#ifndef PSTAT_METRIC_STEPS_H
#define PSTAT_METRIC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/metric/metric-lexer.h"

struct metric_env;
struct metric_error;

enum metric_op {
	/* push a value */
	MOP_NUMBER,
	MOP_EVENT,
	MOP_SOURCES, /* push the number of sources of an event */
	MOP_METRIC,  /* push the result of another program of the expression */
	/* pops one value and pushes one */
	MOP_NEGATE,
	/* pop two values, x and y, and push one */
	MOP_OR,
	MOP_XOR,
	MOP_AND,
	MOP_LESS,
	MOP_GREATER,
	MOP_LESS_EQUAL,
	MOP_GREATER_EQUAL,
	MOP_EQUAL,
	MOP_NOT_EQUAL,
	MOP_ADD,
	MOP_SUBTRACT,
	MOP_MULTIPLY,
	MOP_DIVIDE,
	MOP_MODULO,
	MOP_MIN,
	MOP_MAX,
	MOP_D_RATIO,
	/* pops three values: value, condition, other */
	MOP_SELECT,
};

struct metric_step {
	enum metric_op op;
	union {
		double number;
		int index; /* valid for MOP_EVENT, MOP_SOURCES and MOP_METRIC */
	};
};

/* The compiled expression of one metric. Its value is the last value on the stack. */
struct metric_prog {
	char *name;
	struct metric_step *steps;
	int nr_steps, room;
	/* false: the program is still being compiled, so a reference to it would be circular */
	bool is_done;
	double value; /* result of the last evaluation */
	bool needed;
};

/* progs[0] is the metric itself. */
struct metric_expr {
	struct metric_prog *progs;
	int nr_progs;
	/* the indexes of all programs; each program comes after the programs to which it refers */
	int *order;
	int nr_done;
	int nr_steps; /* the total number of steps of all programs */
	char **events;
	int nr_events;
	struct metric_value *values;
	/*
	 * has room for nr_steps values, which is enough, because no step pushes more than one value
	 */
	double *stack;
};

/*
 * Returns the result of the operator @op. The operands and the result may be NaN. The result is
 * never infinite.
 */
double metric_op__apply(enum metric_op op, double x, double y);

/*
 * A text that is being compiled: the expression of the metric itself, or of a metric to which it
 * refers.
 */
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
	/*
	 * if a threshold is compiled: the metric of the threshold, to which the threshold may
	 * refer; otherwise NULL
	 */
	const char *threshold_of;
	int depth;
};

struct metric_operand {
	/* the index of the operand's first step; its steps extend to the end of the program */
	int first;
	bool known;
	double value;
};

/* Fills c->error. Returns -EINVAL, so that a caller can write `return metric_steps__fail(…)`. */
int metric_steps__fail(struct metric_compiler *c, const struct metric_source_text *s, size_t column,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * The functions below return 0; -EINVAL, with the reason in c->error, if there are too many steps;
 * or -ENOMEM. Functions with a parameter @result store the new operand there.
 */
int metric_steps__add(struct metric_compiler *c, const struct metric_source_text *s,
		      struct metric_step step);
int metric_steps__add_known(struct metric_compiler *c, const struct metric_source_text *s,
			    double value, struct metric_operand *result);
int metric_steps__add_index(struct metric_compiler *c, const struct metric_source_text *s,
			    enum metric_op op, int index, struct metric_operand *result);
/* Replaces all steps from @first to the end of the program with the number @value. */
int metric_steps__replace(struct metric_compiler *c, const struct metric_source_text *s, int first,
			  double value, struct metric_operand *result);
/*
 * The steps of the operands must be at the end of the program. metric_steps__add_operator() adds an
 * operator after them, and metric_steps__add_choice() a choice.
 */
int metric_steps__add_operator(struct metric_compiler *c, const struct metric_source_text *s,
			       enum metric_op op, const struct metric_operand *x,
			       const struct metric_operand *y, struct metric_operand *result);
int metric_steps__add_choice(struct metric_compiler *c, const struct metric_source_text *s,
			     const struct metric_operand *value,
			     const struct metric_operand *condition,
			     const struct metric_operand *other, struct metric_operand *result);

/*
 * Removes events that no step needs, and sorts the other events by their first use. Call this when
 * all steps are complete.
 */
int metric_steps__sort_events(struct metric_expr *expr);

#endif
