/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment in which tests compile and evaluate expressions: other metrics, a machine,
 * counts.
 */
#ifndef PSTAT_TESTS_METRIC_EXPR_ENV_H
#define PSTAT_TESTS_METRIC_EXPR_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "util/base/strbuf.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-table.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct metric_def metrics[] = {
	{ .name = "ipc", .expr = "instructions / cycles" },
	{ .name = "cpi", .expr = "1 / ipc" },
	{ .name = "both", .expr = "ipc + cpi + IPC" },
	{ .name = "ten", .expr = "5 * 2" },
	{ .name = "self", .expr = "1 + self" },
	{ .name = "ping", .expr = "pong * 2" },
	{ .name = "pong", .expr = "cycles + ping" },
	{ .name = "broken", .expr = "cycles + * 2" },
	{ .name = "of_broken", .expr = "broken + 1" },
	{ .name = "choice", .expr = "cycles if #smt_on else instructions" },
};

static inline const struct metric_def *find(void *ctx, const char *name)
{
	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (!strcasecmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

static inline int literal(void *ctx, const char *name, double *value)
{
	static const struct {
		const char *name;
		double value;
	} literals[] = {
		{ "#smt_on", 0.0 },
		{ "#num_cpus", 8.0 },
		{ "#core_wide", 1.0 },
	};

	(void)ctx;
	if (!strcmp(name, "#slots"))
		return -ENODATA;
	for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
		if (!strcasecmp(literals[i].name, name)) {
			*value = literals[i].value;
			return 0;
		}
	}
	return -ENOENT;
}

static inline bool has_event(void *ctx, const char *event)
{
	(void)ctx;
	return !strcmp(event, "cycles") || !strcmp(event, "cpu@slots@");
}

static inline bool is_cpu(void *ctx, const char *cpuid)
{
	(void)ctx;
	return !strcmp(cpuid, "0x410fd493") || !strcmp(cpuid, "GenuineIntel-6-55-4");
}

static const struct metric_env env = {
	.find = find, .literal = literal, .has_event = has_event, .is_cpu = is_cpu
};

static inline struct metric_expr *compile(const char *text)
{
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_expr *expr;
	int err = metric_expr__compile("x", text, false, &env, &expr, &error);

	if (err)
		print_error("%s: %s at %zu\n", text, error.reason.text, error.column);
	assert_int_equal(err, 0);
	metric_error__free(&error);
	return expr;
}

static inline void expect_worth(const char *text, double found, double wanted)
{
	bool same = isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-12 * fabs(wanted);

	if (!same)
		print_error("%s is %.17g, not %.17g\n", text, found, wanted);
	assert_true(same);
}

/* Returns the count that the event @name has in evaluate(). */
static inline double events_value(const char *name)
{
	if (!strcmp(name, "cycles"))
		return 1000.0;
	if (!strcmp(name, "instructions"))
		return 2500.0;
	if (!strcmp(name, "zero"))
		return 0.0;
	if (!strcmp(name, "missing"))
		return NAN;
	return (double)strlen(name);
}

static inline double evaluate(const char *text)
{
	struct metric_expr *expr = compile(text);
	struct metric_value values[64];
	double value;

	assert_true(metric_expr__nr_events(expr) <= 64);
	for (int i = 0; i < metric_expr__nr_events(expr); i++)
		values[i] = (struct metric_value){ events_value(metric_expr__event(expr, i)), 3.0 };
	value = metric_expr__eval(expr, values);
	metric_expr__free(expr);
	return value;
}

#endif
