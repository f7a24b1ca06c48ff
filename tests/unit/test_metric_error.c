// SPDX-License-Identifier: GPL-2.0-only
/* Expressions that cannot be compiled: the message and the position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/metric-expr-env.h"
#include "util/base/strbuf.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-lexer.h"

static void expect_error(const char *name, const char *text, const char *metric, size_t column,
			 const char *reason)
{
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_expr *expr;
	int err = metric_expr__compile(name, text, false, &env, &expr, &error);

	if (err != -EINVAL || error.column != column || strcmp(error.metric.text, metric) ||
	    !strstr(error.reason.text, reason))
		print_error("%s: %d, metric %s, column %zu: %s\n", text, err, error.metric.text,
			    error.column, error.reason.text);
	assert_int_equal(err, -EINVAL);
	assert_null(expr);
	assert_string_equal(error.metric.text, metric);
	assert_int_equal(error.column, column);
	assert_non_null(strstr(error.reason.text, reason));
	metric_error__free(&error);
}

static void an_error_has_a_reason_and_a_position(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *reason;
	} rows[] = {
		{ "", 0, "expected a value, but the expression ends" },
		{ "  ", 2, "expected a value, but the expression ends" },
		{ "1 +", 3, "expected a value, but the expression ends" },
		{ "1 + )", 4, "expected a value, but found ')'" },
		{ "(1", 2, "expected ')', but the expression ends" },
		{ "(1 2", 3, "expected ')', but found '2'" },
		{ "1)", 1, "expected an operator, but found ')'" },
		{ "1 2", 2, "expected an operator, but found '2'" },
		{ "a b", 2, "expected an operator, but found 'b'" },
		{ "* 2", 0, "expected a value, but found '*'" },
		{ "+1", 0, "expected a value, but found '+'" },
		{ "1 ** 2", 3, "expected a value, but found '*'" },
		{ "a $ b", 2, "expected an operator, but found '$'" },
		{ "a = b", 2, "expected an operator, but found '='" },
		{ "!a", 0, "expected a value, but found '!'" },
		{ "min", 3, "expected '(', but the expression ends" },
		{ "min 1", 4, "expected '(', but found '1'" },
		{ "min(1)", 5, "expected ',', but found ')'" },
		{ "min(1,)", 6, "expected a value, but found ')'" },
		{ "min(1,2", 7, "expected ')', but the expression ends" },
		{ "max(1,2,3)", 7, "expected ')', but found ','" },
		{ "d_ratio(,1)", 8, "expected a value, but found ','" },
		{ "if 1 else 2", 0, "expected a value, but found 'if'" },
		{ "1 if", 4, "expected a value, but the expression ends" },
		{ "1 if 2", 6, "expected 'else', but the expression ends" },
		{ "1 if 2 3", 7, "expected 'else', but found '3'" },
		{ "1 if 2 else", 11, "expected a value, but the expression ends" },
		{ "1 else 2", 2, "expected an operator, but found 'else'" },
		{ "source_count()", 13, "expected a name, but found ')'" },
		{ "source_count(1+2)", 14, "expected ')', but found '+'" },
		{ "has_event(#x)", 10, "expected a name, but found '#x'" },
		{ "has_event(a", 11, "expected ')', but the expression ends" },
		{ "strcmp_cpuid_str", 16, "expected '(', but the expression ends" },
		{ "#nothing", 0, "unknown literal '#nothing'" },
		{ "1 + #", 4, "unknown literal '#'" },
		{ "cpu@event", 0, "has no second @" },
		{ "a + cpu@x + b", 4, "has no second @" },
		{ "1 + 1e999", 4, "too large" },
		{ "a\\", 1, "expected an operator, but found '\\'" },
		{ "a / (b - c", 10, "expected ')', but the expression ends" },
		{ "a,b", 1, "expected an operator, but found ','" },
		{ "\"a\"", 0, "expected a value, but found '\"'" },
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
	expect_error("of_broken", "broken + 1", "broken", 9, "expected a value, but found '*'");
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
	/* An expression must not use the metric that it defines. */
	assert_int_equal(metric_expr__compile("self", "self > 2", true, &env, &expr, &error),
			 -EINVAL);
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
	expect_error("x", text.text, "x", METRIC_DEPTH_MAX, "nested levels");
	strbuf__reset(&text);
	repeat(&text, "1 if cycles else ", 100000);
	expect_error("x", text.text, "x", 17 * METRIC_DEPTH_MAX, "nested levels");
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

/* The largest possible number of pending operands. */
static void the_stack_holds_the_deepest_expression(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	repeat(&text, "(zero if zero else zero | zero ^ cycles & zero < zero + cycles * ",
	       METRIC_DEPTH_MAX / 2 - 1);
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
	assert_string_equal(message.text,
			    "metric x: expected a value, but found '*'\na + * b\n    ^");
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
		cmocka_unit_test(an_error_has_a_reason_and_a_position),
		cmocka_unit_test(a_metric_that_refers_to_itself_is_refused),
		cmocka_unit_test(a_threshold_may_refer_to_its_metric),
		cmocka_unit_test(depth_and_length_have_bounds),
		cmocka_unit_test(the_stack_holds_the_deepest_expression),
		cmocka_unit_test(a_message_marks_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
