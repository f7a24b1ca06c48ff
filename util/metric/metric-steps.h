/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiled expressions. The text of a metric or a threshold is compiled into a program, a list of
 * steps of a stack machine. An expression consists of its own program and the programs of the
 * metrics to which it refers. The functions that add steps also fold constants: if the operands of
 * an operator are known, or one known operand determines the result, the result replaces the
 * operator and its operands. If the condition of a choice is known and not NaN, only the steps of
 * the chosen side remain.
 */
#ifndef PSTAT_METRIC_STEPS_H
#define PSTAT_METRIC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/metric/metric-lexer.h"

struct metric_env;
struct metric_error;

enum metric_op {
	MOP_NUMBER, /* pushes a constant */
	MOP_EVENT,  /* pushes metric_value.value of an event */
	/* pushes source_count(EVENT): the number of PMUs whose counts were added up */
	MOP_SOURCES,
	MOP_METRIC, /* pushes the result of another program of the expression */
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
	/* pops the three operands of `value if condition else other`, and pushes the result */
	MOP_SELECT,
};

struct metric_step {
	enum metric_op op;
	union {
		double number;
		/*
		 * an index in metric_expr.events (MOP_EVENT, MOP_SOURCES) or in metric_expr.progs
		 * (MOP_METRIC)
		 */
		int index;
	};
};

/* A program. Its result is the value that its last step leaves on the stack. */
struct metric_prog {
	char *name;
	struct metric_step *steps;
	int nr_steps, room;
	/* false: the program is still being compiled, so a reference to it would be circular */
	bool is_done;
	double value; /* result of the last evaluation */
	bool needed;  /* the value of the expression depends on this program */
};

/*
 * progs[0] is the program of the expression. The others are the programs of metrics to which the
 * expression refers.
 */
struct metric_expr {
	struct metric_prog *progs;
	int nr_progs;
	/*
	 * the indexes of the compiled programs; each program comes after the programs to which it
	 * refers
	 */
	int *order;
	int nr_done;
	int nr_steps; /* number of steps added to all programs, including steps removed later */
	char **events;
	int nr_events;
	struct metric_value *values;
	/*
	 * has room for nr_steps values; this is enough, because no step pushes more than one value
	 */
	double *stack;
};

/*
 * Returns the result of the operator @op. The operands and the result may be NaN. The result is
 * never infinite.
 */
double metric_op__apply(enum metric_op op, double x, double y);

/*
 * A text that is being compiled: either the text that was passed to metric_expr__compile(), or the
 * expression of a metric to which that text refers.
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
	 * the name of the metric whose threshold is being compiled, or NULL. If this member is set,
	 * references do not match progs[0], which has the metric's name but contains the threshold.
	 * So a threshold may refer to its own metric.
	 */
	const char *threshold_of;
	int depth;
};

struct metric_operand {
	/*
	 * the index of the operand's first step; the operand extends to the first step of the next
	 * operand or, if there is none, to the end of the program
	 */
	int first;
	bool known;
	double value;
};

/* Fills c->error. Returns -EINVAL, so that a caller can write `return metric_steps__fail(…)`. */
int metric_steps__fail(struct metric_compiler *c, const struct metric_source_text *s, size_t column,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * The functions below return 0; -EINVAL, with the reason in c->error, if there are too many steps;
 * or -ENOMEM. Functions with a parameter @result store the new operand in *@result.
 */
int metric_steps__add(struct metric_compiler *c, const struct metric_source_text *s,
		      struct metric_step step);
int metric_steps__add_known(struct metric_compiler *c, const struct metric_source_text *s,
			    double value, struct metric_operand *result);
int metric_steps__add_index(struct metric_compiler *c, const struct metric_source_text *s,
			    enum metric_op op, int index, struct metric_operand *result);
/* Replaces all steps from @first on with a single step, which pushes @value. */
int metric_steps__replace(struct metric_compiler *c, const struct metric_source_text *s, int first,
			  double value, struct metric_operand *result);
/*
 * metric_steps__add_operator() adds an operator to the program, and metric_steps__add_choice() adds
 * MOP_SELECT. The steps of the operands must be the last steps of the program.
 */
int metric_steps__add_operator(struct metric_compiler *c, const struct metric_source_text *s,
			       enum metric_op op, const struct metric_operand *x,
			       const struct metric_operand *y, struct metric_operand *result);
int metric_steps__add_choice(struct metric_compiler *c, const struct metric_source_text *s,
			     const struct metric_operand *value,
			     const struct metric_operand *condition,
			     const struct metric_operand *other, struct metric_operand *result);

/*
 * Sets `needed` in progs[0] and in the programs to which it still refers, directly or indirectly.
 * Removes the events that these programs do not use, and sorts the other events by their first use.
 * Call this when all programs are complete. Returns 0 or -ENOMEM.
 */
int metric_steps__sort_events(struct metric_expr *expr);

#endif
