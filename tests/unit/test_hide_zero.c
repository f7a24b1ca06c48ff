// SPDX-License-Identifier: GPL-2.0-only
/* --top with --hide-zero chooses only subjects and events that have a printed row. */
#include "tests/unit/report-rows.h"

#include <errno.h>

static void the_largest_cgroup_and_thread_have_a_count(void **state)
{
	static const struct fixture_thread threads[] = { { 10, "a" }, { 11, "b" }, { 12, "c" } };

	(void)state;
	for (int by_thread = 0; by_thread < 2; by_thread++) {
		struct fixture f;

		fixture__init(&f, NULL);
		fixture__event(&f, "first", PERF_TYPE_TRACEPOINT, 1);
		fixture__event(&f, "second", PERF_TYPE_TRACEPOINT, 1);
		for (int i = 0; i < 3 && !by_thread; i++)
			fixture__cgroup(&f, threads[i].comm);
		if (by_thread)
			fixture__threads(&f, threads, 3);
		f.config.top = 1;
		f.config.hide_zero = true;
		fixture__ready(&f, by_thread ? AGGR_THREAD : AGGR_GLOBAL);
		for (int i = 0; i < 3; i++) {
			fixture__set(&f, 0, 0, i, 0, 1000, 1000);
			fixture__set(&f, 1, 0, i, i == 1 ? 7 : 0, 1000, 1000);
		}
		run(&f);
		assert_int_equal(f.rows.nr, 2);
		row_counts(&f, 0, 0);
		row_counts(&f, 1, 7);
		fixture__free(&f);
	}
}

static void an_uncounted_event_comes_after_the_largest_one(void **state)
{
	static const char *const names[] = { "zero", "unknown", "five" };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	for (int i = 0; i < 3; i++)
		fixture__event(&f, names[i], PERF_TYPE_TRACEPOINT, 1);
	f.config.top = 2;
	f.config.hide_zero = true;
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 0, 1000, 1000);
	counts__set_unsupported(f.events[1], -ENOENT, NULL);
	fixture__set(&f, 2, 0, 0, 5, 1000, 1000);
	run(&f);
	assert_int_equal(f.rows.nr, 2);
	row_counts(&f, 0, 5);
	assert_string_equal(f.rows.rows[1].event, "unknown");
	fixture__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_cgroup_and_thread_have_a_count),
		cmocka_unit_test(an_uncounted_event_comes_after_the_largest_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
