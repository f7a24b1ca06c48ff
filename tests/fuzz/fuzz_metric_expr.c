// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles any string as the expression of a metric, among metrics that refer to each other in
 * circles. It must be refused with a position in the string, or be compiled. The result must then
 * be a number or no value, for any counts.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/metric/metric-expr.h"
#include "util/metric/metric-table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text;

/*
 * "m" is the input itself. A reference to it through "n" closes a circle, unless its branch is
 * never evaluated.
 */
static const struct metric_def *find(void *ctx, const char *name)
{
	static struct metric_def metrics[] = {
		{ .name = "ipc", .expr = "instructions / cycles" },
		{ .name = "cpi", .expr = "1 / ipc if #smt_on else d_ratio(1, ipc)" },
		{ .name = "n", .expr = "m + cpi" },
		{ .name = "m", .expr = NULL },
	};

	(void)ctx;
	metrics[3].expr = text;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcasecmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

static int literal(void *ctx, const char *name, double *value)
{
	(void)ctx;
	*value = (double)(strlen(name) % 3);
	return !strcmp(name, "#slots")				     ? -ENODATA :
	       !strncmp(name, "#num", 4) || !strcmp(name, "#smt_on") ? 0 :
								       -ENOENT;
}

static bool ask(void *ctx, const char *word)
{
	(void)ctx;
	return strlen(word) & 1;
}

static void evaluate(struct metric_expr *expr)
{
	static const double counts[] = { 0, 1, -1, 1e300, 3.5, NAN, 4294967296.0 };
	int nr = metric_expr__nr_events(expr);
	struct metric_value *values = calloc((size_t)nr + 1, sizeof(*values));

	if (!values)
		abort();
	for (size_t round = 0; round < sizeof(counts) / sizeof(counts[0]); round++) {
		for (int i = 0; i < nr; i++) {
			if (!metric_expr__event(expr, i))
				abort();
			values[i].value =
				counts[(round + (size_t)i) % (sizeof(counts) / sizeof(counts[0]))];
			values[i].sources = 2;
		}
		if (isinf(metric_expr__eval(expr, values)))
			abort();
	}
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metric_env env = {
		.find = find, .literal = literal, .has_event = ask, .is_cpu = ask
	};
	struct metric_error error = METRIC_ERROR_INIT;
	struct strbuf message = STRBUF_INIT;
	struct metric_expr *expr;
	int err;

	text = strndup((const char *)data, size);
	if (!text)
		abort();
	err = metric_expr__compile("m", text, size & 1, &env, &expr, &error);
	if (err != 0 && err != -EINVAL)
		abort();
	if (err && (expr || !error.reason.len || error.column > error.expr.len))
		abort();
	if (!err)
		evaluate(expr);
	metric_error__format(&error, &message);
	strbuf__free(&message);
	metric_error__free(&error);
	metric_expr__free(expr);
	free(text);
	return 0;
}
