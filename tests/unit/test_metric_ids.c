// SPDX-License-Identifier: GPL-2.0-only
/* The order of the names in an expression. The expected orders are from perf 6.12. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/unit/metric-expr-env.h"
#include "util/base/strbuf.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-ids.h"

static void expect_order(const struct metric_ids *ids, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	const char *names[64];

	assert_true(metric_ids__nr(ids) <= 64);
	metric_ids__list(ids, names);
	for (int i = 0; i < metric_ids__nr(ids); i++)
		strbuf__addf(&text, "%s%s", i ? " " : "", names[i]);
	assert_string_equal(text.text, expected);
	strbuf__free(&text);
}

static struct metric_ids *ids_of(const struct metric_expr *expr)
{
	struct metric_ids *ids;

	assert_int_equal(metric_ids__of_expr(expr, &ids), 0);
	return ids;
}

/* Expressions for Ice Lake, with the order of the event list that perf stat -v prints. */
static void events_are_in_perfs_order(void **state)
{
	static const struct {
		const char *text, *events;
	} rows[] = {
		{ "INST_RETIRED.ANY / (FP_ARITH_INST_RETIRED.SCALAR + "
		  "FP_ARITH_INST_RETIRED.VECTOR)",
		  "INST_RETIRED.ANY FP_ARITH_INST_RETIRED.SCALAR FP_ARITH_INST_RETIRED.VECTOR" },
		{ "1e9 * (UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR / "
		  "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR) / "
		  "cha_0@event\\=0x0@",
		  "cha_0@event=0x0@ UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR "
		  "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR" },
		{ "topdown\\-fe\\-bound / (topdown\\-fe\\-bound + topdown\\-bad\\-spec + "
		  "topdown\\-retiring + "
		  "topdown\\-be\\-bound) - INT_MISC.UOP_DROPPING / TOPDOWN.SLOTS",
		  "topdown-retiring TOPDOWN.SLOTS INT_MISC.UOP_DROPPING topdown-fe-bound "
		  "topdown-be-bound "
		  "topdown-bad-spec" },
		{ "1", "" },
		{ "1 if #smt_on else 2", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_expr *expr = compile(rows[i].text);
		struct metric_ids *ids = ids_of(expr);

		expect_order(ids, rows[i].events);
		metric_ids__free(ids);
		metric_expr__free(expr);
	}
}

/* perf adds tool events to the table before it lists the events that it puts in a group. */
static void a_name_that_makes_the_table_grow_changes_the_order(void **state)
{
	struct metric_expr *expr =
		compile("1e9 * (UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR / "
			"UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR) / cha_0@event\\=0x0@");
	struct metric_ids *ids = ids_of(expr);

	(void)state;
	assert_int_equal(metric_ids__add(ids, "duration_time"), 0);
	assert_int_equal(metric_ids__nr(ids), 4);
	expect_order(ids, "duration_time UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR cha_0@event=0x0@ "
			  "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR");
	/* A name that is already in the set changes nothing. */
	assert_int_equal(metric_ids__add(ids, "duration_time"), 0);
	assert_int_equal(metric_ids__nr(ids), 4);
	metric_ids__free(ids);
	metric_expr__free(expr);
}

static void metrics_are_replaced_by_their_events(void **state)
{
	static const struct {
		const char *text;
		int nr;
	} rows[] = {
		{ "ipc", 2 },	   { "both + ipc", 2 },	   { "ten", 0 },
		{ "cpi / cs", 3 }, { "a if b else c", 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_expr *expr = compile(rows[i].text);
		struct metric_ids *ids = ids_of(expr);
		const char *names[8];

		assert_int_equal(metric_ids__nr(ids), rows[i].nr);
		metric_ids__list(ids, names);
		for (int j = 0; j < rows[i].nr; j++)
			assert_null(find(NULL, names[j]));
		metric_ids__free(ids);
		metric_expr__free(expr);
	}
}

static void many_names_are_all_found(void **state)
{
	struct metric_ids *ids = metric_ids__new();
	static char text[1000][8];
	const char *names[1000];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(text[i], sizeof(text[i]), "e%d", i);
		assert_int_equal(metric_ids__add(ids, text[i]), 0);
	}
	assert_int_equal(metric_ids__nr(ids), 1000);
	metric_ids__list(ids, names);
	for (int i = 0; i < 1000; i++)
		text[(names[i] - text[0]) / (ptrdiff_t)sizeof(text[0])][0] = 'x';
	for (int i = 0; i < 1000; i++)
		assert_int_equal(text[i][0], 'x');
	metric_ids__free(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_in_perfs_order),
		cmocka_unit_test(a_name_that_makes_the_table_grow_changes_the_order),
		cmocka_unit_test(metrics_are_replaced_by_their_events),
		cmocka_unit_test(many_names_are_all_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
