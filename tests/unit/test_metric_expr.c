// SPDX-License-Identifier: GPL-2.0-only
/* The values of expressions, and the events that they need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/metric-expr-env.h"
#include "tests/unit/metric-expr-pairs.h"
#include "tests/unit/metric-expr-rows.h"
#include "tests/unit/use-locale.h"
#include "util/base/strbuf.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-lexer.h"

/* ---- values ---- */

static void expect_known(const struct expr_row *row)
{
	struct metric_expr *expr = compile(row->text);

	assert_int_equal(metric_expr__nr_events(expr), 0);
	expect_worth(row->text, metric_expr__eval(expr, NULL), row->value);
	metric_expr__free(expr);
}

static void numbers_have_the_value_that_the_grammar_defines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expr_rows); i++)
		expect_known(&expr_rows[i]);
	for (size_t i = 0; i < ARRAY_SIZE(expr_pairs); i++)
		expect_known(&expr_pairs[i]);
}

/* Replaces each number with an event, so that no value is known before the evaluation. */
static void expect_with_events(const struct expr_row *row)
{
	struct strbuf with_events = STRBUF_INIT;
	struct metric_value values[64] = { { 0, 0 } }, given[64];
	struct metric_token token;
	struct metric_expr *expr;
	int nr = 0;

	for (token = metric_lexer__next(row->text, 0); token.kind != MTOK_END;
	     token = metric_lexer__next(row->text, token.column + token.len)) {
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
	expect_worth(with_events.text, metric_expr__eval(expr, given), row->value);
	metric_expr__free(expr);
	strbuf__free(&with_events);
}

static void events_have_the_same_values_as_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expr_rows); i++)
		expect_with_events(&expr_rows[i]);
	for (size_t i = 0; i < ARRAY_SIZE(expr_pairs); i++)
		expect_with_events(&expr_pairs[i]);
}

/* Evaluates with the machine, the metrics and the counts of metric-expr-env.h. */
static const struct expr_row of_machine[] = {
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
	{ "1e30 % 7", 5 }, /* the value of the nearest double */
	{ "-1e30 % 7.9", -5 },
	{ "1e39 % 7", NO_VALUE },
	{ "7 % 1e39", NO_VALUE },
	{ "d_ratio(cycles, zero)", 0 },
	{ "zero & missing", 0 },
	{ "cycles | missing", 1 },
	{ "#slots | zero", NO_VALUE },
	{ "#slots | cycles", 1 },
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

static void facts_of_the_machine_and_other_metrics_are_used(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of_machine); i++)
		expect_worth(of_machine[i].text, evaluate(of_machine[i].text), of_machine[i].value);
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

static void only_events_that_can_change_the_result_are_needed(void **state)
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
		{ "#slots | a", "a " },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_value_that_the_grammar_defines),
		cmocka_unit_test(events_have_the_same_values_as_numbers),
		cmocka_unit_test(facts_of_the_machine_and_other_metrics_are_used),
		cmocka_unit_test(a_locale_changes_nothing),
		cmocka_unit_test(only_events_that_can_change_the_result_are_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
