/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps of a stack machine, the compiled form of metrics' expressions. */
#ifndef PSTAT_METRIC_OPS_H
#define PSTAT_METRIC_OPS_H

#include <stdbool.h>

enum metric_op {
	/* push a value */
	MOP_NUMBER,
	MOP_EVENT,
	MOP_SOURCES, /* of an event */
	MOP_METRIC,  /* result of another program of the expression */
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
		int index; /* for MOP_EVENT, MOP_SOURCES and MOP_METRIC */
	};
};

/* A metric's expression. Its value is the last one on the stack. */
struct metric_prog {
	char *name;
	struct metric_step *steps;
	int nr_steps, room;
	bool is_done; /* false: being compiled, so a reference to it is circular */
	double value; /* of the last evaluation */
	bool needed;
};

/* progs[0] is the metric itself. */
struct metric_expr {
	struct metric_prog *progs;
	int nr_progs;
	int *order; /* programs by dependency: each after those to which it refers */
	int nr_done;
	int nr_steps; /* of all programs */
	char **events;
	int nr_events;
	double *stack; /* METRIC_STACK_MAX elements */
};

/*
 * Enough for METRIC_DEPTH_MAX levels, each of which has at most one pending operand per precedence,
 * and two of a choice.
 */
#define METRIC_STACK_MAX 4096

/*
 * Returns the result of an operator. Operands and result may be NaN. The result is never infinite.
 */
double metric_op__apply(enum metric_op op, double x, double y);

#endif
