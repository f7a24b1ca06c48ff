// SPDX-License-Identifier: GPL-2.0-only
/* Totals that never decrease, and the choice of --top. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "util/report/export/export-totals.h"

#define SECOND 1000000000ULL
#define PLACES 8

static struct export_totals *make(int nr_events, int top, int nr_places)
{
	struct export_totals *totals = export_totals__new(nr_events, top);

	assert_non_null(totals);
	assert_int_equal(export_totals__grow(totals, nr_places), 0);
	return totals;
}

static void a_total_keeps_its_maximum(void **state)
{
	struct export_totals *totals = make(1, 0, 1);

	(void)state;
	export_totals__set(totals, 0, 0, 100);
	/* another estimate of a scaled count */
	export_totals__set(totals, 0, 0, 90);
	assert_int_equal(export_totals__get(totals, 0, 0), 100);
	export_totals__set(totals, 0, 0, 105);
	assert_int_equal(export_totals__get(totals, 0, 0), 105);
	assert_int_equal(export_totals__rest(totals, 0), 0);
	export_totals__free(totals);
}

static void totals_stay_when_places_are_added(void **state)
{
	struct export_totals *totals = make(2, 0, 1);

	(void)state;
	export_totals__set(totals, 0, 1, 7);
	assert_int_equal(export_totals__grow(totals, 3), 0);
	export_totals__set(totals, 2, 1, 9);
	assert_int_equal(export_totals__get(totals, 0, 1), 7);
	assert_int_equal(export_totals__get(totals, 1, 1), 0);
	assert_int_equal(export_totals__get(totals, 2, 1), 9);
	export_totals__free(totals);
}

static void another_subject_of_a_place_starts_at_zero(void **state)
{
	struct export_totals *totals = make(1, 0, 2);

	(void)state;
	export_totals__set(totals, 0, 0, 100);
	export_totals__set(totals, 1, 0, 100);
	/* the column of a new cgroup was set to zero; the column of a reloaded program was not */
	export_totals__restart(totals, 0, false);
	export_totals__restart(totals, 1, true);
	assert_int_equal(export_totals__get(totals, 0, 0), 0);
	export_totals__set(totals, 0, 0, 30);
	export_totals__set(totals, 1, 0, 130);
	assert_int_equal(export_totals__get(totals, 0, 0), 30);
	assert_int_equal(export_totals__get(totals, 1, 0), 30);
	export_totals__free(totals);
}

/* Takes a reading of @counts. The place @gone is not live (-1: all places are live). */
static void take(struct export_totals *totals, const uint64_t *counts, int nr, int gone,
		 uint64_t ns)
{
	for (int i = 0; i < nr; i++)
		export_totals__rank(totals, i, 0, counts[i], i != gone);
	export_totals__choose(totals, ns);
	for (int i = 0; i < nr; i++)
		export_totals__set(totals, i, 0, counts[i]);
}

static void top_chooses_the_largest_and_adds_up_the_others(void **state)
{
	static const uint64_t counts[] = { 5, 100, 20, 70 };
	struct export_totals *totals = make(1, 2, 4);

	(void)state;
	take(totals, counts, 4, -1, SECOND);
	assert_false(export_totals__is_chosen(totals, 0));
	assert_true(export_totals__is_chosen(totals, 1));
	assert_false(export_totals__is_chosen(totals, 2));
	assert_true(export_totals__is_chosen(totals, 3));
	assert_int_equal(export_totals__get(totals, 1, 0), 100);
	assert_int_equal(export_totals__rest(totals, 0), 25);
	export_totals__free(totals);
}

static void a_place_that_is_gone_is_not_chosen(void **state)
{
	static const uint64_t counts[] = { 5, 100, 20 };
	struct export_totals *totals = make(1, 1, 3);

	(void)state;
	take(totals, counts, 3, 1, SECOND);
	assert_false(export_totals__is_chosen(totals, 1));
	assert_true(export_totals__is_chosen(totals, 2));
	/* the earlier counts are not lost */
	assert_int_equal(export_totals__rest(totals, 0), 105);
	export_totals__free(totals);
}

static void new_activity_replaces_old_activity_in_time(void **state)
{
	uint64_t counts[] = { 1000000, 0 };
	struct export_totals *totals = make(1, 1, 2);
	int minutes = 0;

	(void)state;
	take(totals, counts, 2, -1, SECOND);
	while (!export_totals__is_chosen(totals, 1)) {
		counts[1] += 100000;
		take(totals, counts, 2, -1, 60 * SECOND);
		assert_true(++minutes < 30);
	}
	/* the choice changes after a while, but before the totals are equal */
	assert_in_range(minutes, 2, 9);
	export_totals__free(totals);
}

/* Returns the next number of a fixed sequence of numbers below @below. */
static uint64_t next(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % below;
}

static void increases_of_all_rows_add_up_and_none_decreases(void **state)
{
	uint64_t counts[PLACES] = { 0 }, before[PLACES] = { 0 }, rest = 0, random = 1;
	struct export_totals *totals = make(1, 3, PLACES);
	int changes = 0;

	(void)state;
	for (int reading = 0; reading < 1000; reading++) {
		uint64_t shown = 0, all = 0;
		bool was[PLACES];

		for (int i = 0; i < PLACES; i++) {
			counts[i] += next(&random, reading / 100 % PLACES == i ? 100000 : 100);
			was[i] = export_totals__is_chosen(totals, i);
		}
		take(totals, counts, PLACES, -1, 10 * SECOND);
		for (int i = 0; i < PLACES; i++) {
			assert_true(export_totals__get(totals, i, 0) >= before[i]);
			before[i] = export_totals__get(totals, i, 0);
			shown += before[i];
			all += counts[i];
			changes += export_totals__is_chosen(totals, i) != was[i];
		}
		assert_true(export_totals__rest(totals, 0) >= rest);
		rest = export_totals__rest(totals, 0);
		assert_int_equal(shown + rest, all);
	}
	/* the choice has changed during the test */
	assert_true(changes > 10);
	export_totals__free(totals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_total_keeps_its_maximum),
		cmocka_unit_test(totals_stay_when_places_are_added),
		cmocka_unit_test(another_subject_of_a_place_starts_at_zero),
		cmocka_unit_test(top_chooses_the_largest_and_adds_up_the_others),
		cmocka_unit_test(a_place_that_is_gone_is_not_chosen),
		cmocka_unit_test(new_activity_replaces_old_activity_in_time),
		cmocka_unit_test(increases_of_all_rows_add_up_and_none_decreases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
