// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/unit/metric-expr-rows.h"
#include "tests/unit/use-locale.h"
#include "util/base/strbuf.h"
#include "util/report/metric-expr.h"
#include "util/report/metric-lexer.h"
#include "util/report/metric-table.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a machine and other metrics ---- */

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

static const struct metric_def *find(void *ctx, const char *name)
{
	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (!strcasecmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

static int literal(void *ctx, const char *name, double *value)
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

static bool has_event(void *ctx, const char *event)
{
	(void)ctx;
	return !strcmp(event, "cycles") || !strcmp(event, "cpu@slots@");
}

static bool is_cpu(void *ctx, const char *cpuid)
{
	(void)ctx;
	return !strcmp(cpuid, "0x410fd493") || !strcmp(cpuid, "GenuineIntel-6-55-4");
}

static const struct metric_env env = { .find = find, .literal = literal, .has_event = has_event, .is_cpu = is_cpu };

static struct metric_expr *compile(const char *text)
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

static void expect_worth(const char *text, double found, double wanted)
{
	bool same = isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-12 * fabs(wanted);

	if (!same)
		print_error("%s is %.17g, not %.17g\n", text, found, wanted);
	assert_true(same);
}

/* What it is worth when each event counts what events_value() says. */
static double events_value(const char *name)
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

static double evaluate(const char *text)
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

/* ---- values ---- */

static void numbers_are_worth_what_the_grammar_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expr_rows); i++) {
		struct metric_expr *expr = compile(expr_rows[i].text);

		assert_int_equal(metric_expr__nr_events(expr), 0);
		expect_worth(expr_rows[i].text, metric_expr__eval(expr, NULL), expr_rows[i].value);
		metric_expr__free(expr);
	}
}

/* The same with an event for each number: then nothing is known before. */
static void events_are_worth_the_same_as_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expr_rows); i++) {
		const char *text = expr_rows[i].text;
		struct strbuf with_events = STRBUF_INIT;
		struct metric_value values[64] = { { 0, 0 } }, given[64];
		struct metric_token token;
		struct metric_expr *expr;
		int nr = 0;

		for (token = metric_lexer__next(text, 0); token.kind != MTOK_END;
		     token = metric_lexer__next(text, token.column + token.len)) {
			bool missing = token.len == 3 && !memcmp(token.s, "NaN", 3);

			if (token.kind == MTOK_NUMBER || missing) {
				values[nr] = (struct metric_value){ missing ? NAN : token.number, 1.0 };
				strbuf__addf(&with_events, " e%d", nr++);
			} else {
				strbuf__addc(&with_events, ' ');
				strbuf__add(&with_events, token.s, token.len);
			}
		}
		expr = compile(with_events.text);
		assert_int_equal(metric_expr__nr_events(expr), nr);
		for (int j = 0; j < nr; j++)
			given[j] = values[atoi(metric_expr__event(expr, j) + 1)];
		expect_worth(with_events.text, metric_expr__eval(expr, given), expr_rows[i].value);
		metric_expr__free(expr);
		strbuf__free(&with_events);
	}
}

static void what_the_machine_and_other_metrics_say_is_used(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{ "ipc", 2.5 },
		{ "CPI", 0.4 },
		{ "both", 5.4 },
		{ "ten", 10 },
		{ "ten * cycles", 10000 },
		{ "cycles + ipc * 2", 1005 },
		{ "#num_cpus * 2", 16 },
		{ "#NUM_CPUS", 8 },
		{ "#SMT_on", 0 },
		{ "#slots", NO_VALUE },
		{ "#slots if #smt_on else 4", 4 },
		{ "4 if #core_wide < 1 else 5", 5 },
		{ "choice", 2500 },
		{ "source_count(cycles)", 3 },
		{ "source_count(uncore@x\\,y@) * 2", 6 },
		{ "has_event(cycles)", 1 },
		{ "has_event(nothing)", 0 },
		{ "cycles if has_event(cpu@slots@) else nothing", 1000 },
		{ "strcmp_cpuid_str(0x410fd493)", 1 },
		{ "strcmp_cpuid_str(0x410fd490)", 0 },
		{ "strcmp_cpuid_str(GenuineIntel\\-6\\-55\\-4)", 1 },
		{ "missing", NO_VALUE },
		{ "missing + 1", NO_VALUE },
		{ "missing * 0", NO_VALUE },
		{ "cycles / zero", NO_VALUE },
		{ "cycles % zero", NO_VALUE },
		{ "d_ratio(cycles, zero)", 0 },
		{ "zero & missing", 0 },
		{ "cycles | missing", 1 },
		{ "cycles if missing else 2", NO_VALUE },
		{ "missing if zero else 2", 2 },
		{ "max(cycles, missing)", NO_VALUE },
		{ "cycles * 1e306", NO_VALUE },
		{ "cycles:u + cycles:k", 16 },
		{ "abc\\-def", 7 },
		{ "L1\\-dcache\\-loads", 15 },
		{ "abc\\=d", 5 },
		{ "cpu@event\\=0x1@", 14 },
		{ "cpu@event=0x1,umask=2@", 22 },
		{ "cpu@event\\=0x1\\,umask\\=0x2@:u", 26 },
		{ "cpu@a-b@-2", 6 },
		{ "cpu@a@ / cpu@b@", 1 },
		{ "INST_RETIRED.ANY", 16 },
		{ "hv_24x7@x\\,chip\\=?@", 17 },
		{ "4K_event", 8 },
		{ "0x10", 4 },
		{ "minimum", 7 },
		{ "iffy", 4 },
		{ "duration_time", 13 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_worth(rows[i].text, evaluate(rows[i].text), rows[i].value);
}

static void a_locale_changes_nothing(void **state)
{
	struct use_locale locale = { "" };

	(void)state;
	if (!use_locale(&locale, "de_DE"))
		skip();
	expect_worth("1.5 + .25", evaluate("1.5 + .25"), 1.75);
	unuse_locale(&locale);
}

/* ---- events ---- */

static void only_events_that_matter_are_needed(void **state)
{
	static const struct {
		const char *text, *events;
	} rows[] = {
		{ "a + b + a", "a b " },
		{ "b / a", "b a " },
		{ "a if #smt_on else b", "b " },
		{ "a if #core_wide else b", "a " },
		{ "a if c else b", "a c b " },
		{ "1 if c else 1", "" },
		{ "(a if #smt_on else b) + (c if #smt_on else a)", "b a " },
		{ "(a + b if #smt_on else c) * d", "c d " },
		{ "d * (a if #core_wide else b) + c", "d a c " },
		{ "a & 0", "" },
		{ "a & #core_wide", "a " },
		{ "1 | a", "" },
		{ "0 | a", "a " },
		{ "d_ratio(a, 0)", "" },
		{ "a / 0 + b", "b " },
		{ "ipc", "instructions cycles " },
		{ "both", "instructions cycles " },
		{ "ipc if #smt_on else a", "a " },
		{ "choice", "instructions " },
		{ "a + source_count(b)", "a b " },
		{ "has_event(a)", "" },
		{ "#num_cpus", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_expr *expr = compile(rows[i].text);
		struct strbuf events = STRBUF_INIT;

		for (int j = 0; j < metric_expr__nr_events(expr); j++)
			strbuf__addf(&events, "%s ", metric_expr__event(expr, j));
		if (strcmp(events.text, rows[i].events))
			print_error("%s\n", rows[i].text);
		assert_string_equal(events.text, rows[i].events);
		strbuf__free(&events);
		metric_expr__free(expr);
	}
}

/* ---- errors ---- */

static void expect_error(const char *name, const char *text, const char *metric, size_t column, const char *reason)
{
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_expr *expr;
	int err = metric_expr__compile(name, text, false, &env, &expr, &error);

	if (err != -EINVAL || error.column != column || strcmp(error.metric.text, metric) ||
	    !strstr(error.reason.text, reason))
		print_error("%s: %d, metric %s, column %zu: %s\n", text, err, error.metric.text, error.column,
			    error.reason.text);
	assert_int_equal(err, -EINVAL);
	assert_null(expr);
	assert_string_equal(error.metric.text, metric);
	assert_int_equal(error.column, column);
	assert_non_null(strstr(error.reason.text, reason));
	metric_error__free(&error);
}

static void an_error_says_what_and_where(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *reason;
	} rows[] = {
		{ "", 0, "ends where a value" },
		{ "  ", 2, "ends where a value" },
		{ "1 +", 3, "ends where a value" },
		{ "1 + )", 4, "')' where a value" },
		{ "(1", 2, "ends where ')'" },
		{ "(1 2", 3, "'2' where ')'" },
		{ "1)", 1, "')' where an operator" },
		{ "1 2", 2, "'2' where an operator" },
		{ "a b", 2, "'b' where an operator" },
		{ "* 2", 0, "'*' where a value" },
		{ "+1", 0, "'+' where a value" },
		{ "1 ** 2", 3, "'*' where a value" },
		{ "a $ b", 2, "'$' where an operator" },
		{ "a = b", 2, "'=' where an operator" },
		{ "!a", 0, "'!' where a value" },
		{ "min", 3, "ends where '('" },
		{ "min 1", 4, "'1' where '('" },
		{ "min(1)", 5, "')' where ','" },
		{ "min(1,)", 6, "')' where a value" },
		{ "min(1,2", 7, "ends where ')'" },
		{ "max(1,2,3)", 7, "',' where ')'" },
		{ "d_ratio(,1)", 8, "',' where a value" },
		{ "if 1 else 2", 0, "'if' where a value" },
		{ "1 if", 4, "ends where a value" },
		{ "1 if 2", 6, "ends where 'else'" },
		{ "1 if 2 3", 7, "'3' where 'else'" },
		{ "1 if 2 else", 11, "ends where a value" },
		{ "1 else 2", 2, "'else' where an operator" },
		{ "source_count()", 13, "')' where a name" },
		{ "source_count(1+2)", 14, "'+' where ')'" },
		{ "has_event(#x)", 10, "'#x' where a name" },
		{ "has_event(a", 11, "ends where ')'" },
		{ "strcmp_cpuid_str", 16, "ends where '('" },
		{ "#nothing", 0, "unknown literal '#nothing'" },
		{ "1 + #", 4, "unknown literal '#'" },
		{ "cpu@event", 0, "no second one closes" },
		{ "a + cpu@x + b", 4, "no second one closes" },
		{ "1 + 1e999", 4, "too large" },
		{ "a\\", 1, "'\\' where an operator" },
		{ "a / (b - c", 10, "ends where ')'" },
		{ "a,b", 1, "',' where an operator" },
		{ "\"a\"", 0, "'\"' where a value" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_error("x", rows[i].text, "x", rows[i].column, rows[i].reason);
}

static void a_metric_that_refers_to_itself_is_refused(void **state)
{
	(void)state;
	expect_error("self", "1 + self", "self", 4, "'self' refers to itself");
	expect_error("x", "2 * self", "self", 4, "'self' refers to itself");
	expect_error("ping", "pong * 2", "pong", 9, "'ping' refers to itself");
	expect_error("x", "1 - pong", "ping", 0, "'pong' refers to itself");
	expect_error("of_broken", "broken + 1", "broken", 9, "'*' where a value");
}

static void a_threshold_may_refer_to_its_metric(void **state)
{
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_value values[2] = { { 5, 1 }, { 2, 1 } };
	struct metric_expr *expr;

	(void)state;
	assert_int_equal(metric_expr__compile("ipc", "ipc > 2", true, &env, &expr, &error), 0);
	assert_int_equal(metric_expr__nr_events(expr), 2);
	expect_worth("ipc > 2", metric_expr__eval(expr, values), 1.0);
	values[0].value = 4;
	expect_worth("ipc > 2", metric_expr__eval(expr, values), 0.0);
	metric_expr__free(expr);
	/* the metric itself may not */
	assert_int_equal(metric_expr__compile("self", "self > 2", true, &env, &expr, &error), -EINVAL);
	metric_error__free(&error);
}

static void repeat(struct strbuf *sb, const char *text, int times)
{
	while (times--)
		strbuf__adds(sb, text);
}

static void depth_and_length_have_bounds(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	repeat(&text, "(", METRIC_DEPTH_MAX - 1);
	strbuf__addc(&text, '7');
	repeat(&text, ")", METRIC_DEPTH_MAX - 1);
	expect_worth("parentheses", evaluate(text.text), 7.0);
	strbuf__reset(&text);
	repeat(&text, "(", 100000);
	expect_error("x", text.text, "x", METRIC_DEPTH_MAX, "levels inside each other");
	strbuf__reset(&text);
	repeat(&text, "1 if cycles else ", 100000);
	expect_error("x", text.text, "x", 17 * METRIC_DEPTH_MAX, "levels inside each other");
	strbuf__reset(&text);
	repeat(&text, "-", 100000);
	strbuf__adds(&text, "cycles");
	expect_worth("minus signs", evaluate(text.text), 1000.0);
	strbuf__reset(&text);
	repeat(&text, "cycles + ", 30000);
	strbuf__addc(&text, '1');
	expect_worth("a sum", evaluate(text.text), 30000001.0);
	strbuf__reset(&text);
	repeat(&text, "cycles + ", 40000);
	strbuf__addc(&text, '1');
	expect_error("x", text.text, "x", 9 * 32768 + 7, "operands and operators");
	strbuf__free(&text);
}

/* As many operands as can be pending at a time. */
static void the_stack_holds_the_deepest_expression(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	repeat(&text, "(zero if zero else zero | zero ^ cycles & zero < zero + cycles * ", METRIC_DEPTH_MAX / 2 - 1);
	strbuf__adds(&text, "cycles");
	repeat(&text, ")", METRIC_DEPTH_MAX / 2 - 1);
	expect_worth("deep", evaluate(text.text), 1.0);
	strbuf__free(&text);
}

static void a_message_marks_the_column(void **state)
{
	struct metric_error error = METRIC_ERROR_INIT;
	struct strbuf text = STRBUF_INIT, message = STRBUF_INIT;
	struct metric_expr *expr;

	(void)state;
	assert_int_equal(metric_expr__compile("x", "a + * b", false, &env, &expr, &error), -EINVAL);
	metric_error__format(&error, &message);
	assert_string_equal(message.text, "metric x: '*' where a value was expected\na + * b\n    ^");
	strbuf__reset(&message);
	repeat(&text, "a + ", 100);
	assert_int_equal(metric_expr__compile("x", text.text, false, &env, &expr, &error), -EINVAL);
	metric_error__format(&error, &message);
	assert_non_null(strstr(message.text, "…a + a"));
	assert_true(message.len < 260);
	strbuf__free(&message);
	strbuf__free(&text);
	metric_error__free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_worth_what_the_grammar_says),
		cmocka_unit_test(events_are_worth_the_same_as_numbers),
		cmocka_unit_test(what_the_machine_and_other_metrics_say_is_used),
		cmocka_unit_test(a_locale_changes_nothing),
		cmocka_unit_test(only_events_that_matter_are_needed),
		cmocka_unit_test(an_error_says_what_and_where),
		cmocka_unit_test(a_metric_that_refers_to_itself_is_refused),
		cmocka_unit_test(a_threshold_may_refer_to_its_metric),
		cmocka_unit_test(depth_and_length_have_bounds),
		cmocka_unit_test(the_stack_holds_the_deepest_expression),
		cmocka_unit_test(a_message_marks_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
