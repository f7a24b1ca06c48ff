// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <math.h>

static void an_empty_series_has_no_deviation(void **state)
{
	struct stats stats = { 0 };

	(void)state;
	assert_true(stats__deviation(&stats) == 0.0);
	stats__add(&stats, 42.0);
	assert_true(stats.mean == 42.0);
	assert_true(stats__deviation(&stats) == 0.0);
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, variance 32/7, standard error sqrt(32/7/8). */
static void a_known_series_has_its_known_deviation(void **state)
{
	static const double series[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct stats stats = { 0 };

	(void)state;
	for (size_t i = 0; i < 8; i++)
		stats__add(&stats, series[i]);
	assert_true(stats.mean == 5.0);
	assert_true(stats.min == 2.0 && stats.max == 9.0);
	assert_true(fabs(stats__deviation(&stats) - 0.75592894601845445) < 1e-15);
}

/* Neither 0 nor the first value is an extreme of these. */
static void negative_values_have_their_range(void **state)
{
	struct stats stats = { 0 };

	(void)state;
	stats__add(&stats, -3.0);
	assert_true(stats.min == -3.0 && stats.max == -3.0);
	stats__add(&stats, -1.0);
	stats__add(&stats, -7.0);
	assert_true(stats.min == -7.0 && stats.max == -1.0);
}

static void equal_values_deviate_by_exactly_zero(void **state)
{
	struct stats stats = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		stats__add(&stats, 123456789.0);
	assert_true(stats.mean == 123456789.0);
	assert_true(stats__deviation(&stats) == 0.0);
}

static void large_values_keep_a_small_deviation(void **state)
{
	struct stats stats = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		stats__add(&stats, 1e15 + (i & 1));
	assert_true(fabs(stats__deviation(&stats) - sqrt(0.25 * 1000 / 999 / 1000)) < 1e-6);
}

static void a_percentage_without_a_base_is_zero(void **state)
{
	(void)state;
	assert_true(stats__percent(1.0, 0.0) == 0.0);
	assert_true(stats__percent(1.0, 50.0) == 2.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_series_has_no_deviation),
		cmocka_unit_test(a_known_series_has_its_known_deviation),
		cmocka_unit_test(negative_values_have_their_range),
		cmocka_unit_test(equal_values_deviate_by_exactly_zero),
		cmocka_unit_test(large_values_keep_a_small_deviation),
		cmocka_unit_test(a_percentage_without_a_base_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
