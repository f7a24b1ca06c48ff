// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-expr.h"

#include <math.h>

#include "util/metric/metric-steps.h"

static double truth(double x)
{
	return x != 0.0;
}

/*
 * Computes |, ^ or &. If one operand of | or & determines the result, the result is a number even
 * if the other operand is NaN.
 */
static double logic(enum metric_op op, double x, double y)
{
	double decides = op == MOP_OR ? 1.0 : 0.0;
	bool missing = isnan(x) || isnan(y);

	if (op == MOP_XOR)
		return missing ? NAN : truth(x) != truth(y);
	if ((!isnan(x) && truth(x) == decides) || (!isnan(y) && truth(y) == decides))
		return decides;
	return missing ? NAN : !decides;
}

static double compare(enum metric_op op, double x, double y)
{
	switch (op) {
	case MOP_LESS:
		return x < y;
	case MOP_GREATER:
		return x > y;
	case MOP_LESS_EQUAL:
		return x <= y;
	case MOP_GREATER_EQUAL:
		return x >= y;
	case MOP_EQUAL:
		return x == y;
	default:
		return x != y;
	}
}

static double divide(enum metric_op op, double x, double y)
{
	if (op == MOP_D_RATIO)
		return y == 0.0 ? 0.0 : x / y;
	if (op == MOP_MODULO) {
		/*
		 * the remainder of the integer division, with the sign of x, as in C; NaN if an
		 * operand does not fit into __int128, or if the integer part of y is 0
		 */
		if (!(fabs(x) < 0x1p127) || !(fabs(y) < 0x1p127) || (__int128)y == 0)
			return NAN;
		return (double)((__int128)x % (__int128)y);
	}
	return y == 0.0 ? NAN : x / y;
}

static double compute(enum metric_op op, double x, double y)
{
	switch (op) {
	case MOP_ADD:
		return x + y;
	case MOP_SUBTRACT:
		return x - y;
	case MOP_MULTIPLY:
		return x * y;
	case MOP_MIN:
		return x < y ? x : y;
	case MOP_MAX:
		return x > y ? x : y;
	case MOP_DIVIDE:
	case MOP_MODULO:
	case MOP_D_RATIO:
		return divide(op, x, y);
	default:
		return compare(op, x, y);
	}
}

double metric_op__apply(enum metric_op op, double x, double y)
{
	double result;

	if (op == MOP_OR || op == MOP_XOR || op == MOP_AND)
		return logic(op, x, y);
	if (op == MOP_D_RATIO && y == 0.0)
		return 0.0;
	if (isnan(x) || isnan(y))
		return NAN;
	result = compute(op, x, y);
	return isfinite(result) ? result : NAN;
}

static double choose(double value, double condition, double other)
{
	if (isnan(condition))
		return value == other ? value : NAN;
	return condition != 0.0 ? value : other;
}

static void run(struct metric_expr *expr, struct metric_prog *prog,
		const struct metric_value *values)
{
	double *top = expr->stack - 1; /* the value at the top of the stack */

	for (int i = 0; i < prog->nr_steps; i++) {
		const struct metric_step *step = &prog->steps[i];

		switch (step->op) {
		case MOP_NUMBER:
			*++top = step->number;
			break;
		case MOP_EVENT:
			*++top = isfinite(values[step->index].value) ? values[step->index].value :
								       NAN;
			break;
		case MOP_SOURCES:
			*++top = values[step->index].sources;
			break;
		case MOP_METRIC:
			*++top = expr->progs[step->index].value;
			break;
		case MOP_NEGATE:
			*top = -*top;
			break;
		case MOP_SELECT:
			top -= 2;
			*top = choose(top[0], top[1], top[2]);
			break;
		default:
			top--;
			*top = metric_op__apply(step->op, top[0], top[1]);
			break;
		}
	}
	prog->value = *top;
}

double metric_expr__eval(struct metric_expr *expr, const struct metric_value *values)
{
	for (int i = 0; i < expr->nr_done; i++) {
		struct metric_prog *prog = &expr->progs[expr->order[i]];

		if (prog->needed)
			run(expr, prog, values);
	}
	return expr->progs[0].value;
}
