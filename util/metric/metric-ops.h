/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the compiler of metrics' expressions and what computes them: steps of a stack machine. */
#ifndef PSTAT_METRIC_OPS_H
#define PSTAT_METRIC_OPS_H

#include <stdbool.h>

enum metric_op {
	/* these add a value */
	MOP_NUMBER,
	MOP_EVENT,
	MOP_SOURCES, /* of an event */
	MOP_METRIC,  /* result of another program of the same expression */
	/* these take one, and add one */
	MOP_NEGATE,
	/* these take two: x, y */
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
	/* this takes three: value, condition, other */
	MOP_SELECT,
};

struct metric_step {
	enum metric_op op;
	union {
		double number;
		int index; /* of MOP_EVENT, MOP_SOURCES, MOP_METRIC */
	};
};

/* A metric's expression. Its value is what is left on the stack at the end. */
struct metric_prog {
	char *name;
	struct metric_step *steps;
	int nr_steps, room;
	bool is_done; /* else it is being compiled: who refers to it now closes a circle */
	double value; /* of the last evaluation */
	bool needed;
};

/* progs[0] is the metric itself. */
struct metric_expr {
	struct metric_prog *progs;
	int nr_progs;
	int *order; /* of the programs: each after those that it refers to */
	int nr_done;
	int nr_steps; /* of all programs */
	char **events;
	int nr_events;
	double *stack; /* METRIC_STACK_MAX of them */
};

/* More than METRIC_DEPTH_MAX levels can have pending, of which each has at most one operand a rank and two of a choice. */
#define METRIC_STACK_MAX 4096

/* The result of an operator for two operands; either may be NaN, the result may be, and is never infinite. */
double metric_op__apply(enum metric_op op, double x, double y);

#endif
