// SPDX-License-Identifier: GPL-2.0-only
/* Samples by key: readings of a map that grows, and their differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "util/count/profile/sample-table.h"

/* The key has 12 bytes, so the sums may begin a few bytes after its end. */
struct key {
	uint8_t name[12];
};

static const struct key keys[] = { { "banana" }, { "apple" }, { "cherry" } };

static int make(void **state)
{
	*state = sample_table__new(sizeof(struct key), 8);
	return *state ? 0 : -1;
}

static int drop(void **state)
{
	sample_table__free(*state);
	return 0;
}

static void assert_row(const struct sample_table *table, uint32_t place, const char *name,
		       uint64_t total, uint64_t delta)
{
	assert_string_equal(sample_table__key(table, place), name);
	assert_int_equal(sample_table__total(table, place).samples, total);
	assert_int_equal(sample_table__total(table, place).weight, 10 * total);
	assert_int_equal(sample_table__delta(table, place).samples, delta);
	assert_int_equal(sample_table__delta(table, place).weight, 10 * delta);
}

static void places_are_ordered_by_their_keys(void **state)
{
	const struct sample_sum sums[] = { { 2, 20 }, { 1, 10 }, { 3, 30 } };

	assert_int_equal(sample_table__take(*state, keys, sums, 3), 0);
	assert_int_equal(sample_table__nr(*state), 3);
	assert_row(*state, 0, "apple", 1, 1);
	assert_row(*state, 1, "banana", 2, 2);
	assert_row(*state, 2, "cherry", 3, 3);
}

static void an_interval_begins_at_the_mark_also_for_earlier_places(void **state)
{
	const struct sample_sum first[] = { { 2, 20 } },
				second[] = { { 5, 50 }, { 1, 10 }, { 4, 40 } };

	assert_int_equal(sample_table__take(*state, keys, first, 1), 0);
	sample_table__mark(*state);
	assert_row(*state, 0, "banana", 2, 0);
	assert_int_equal(sample_table__take(*state, keys, second, 3), 0);
	assert_row(*state, 0, "apple", 1, 1);
	assert_row(*state, 1, "banana", 5, 3);
	assert_row(*state, 2, "cherry", 4, 4);
	sample_table__mark(*state);
	assert_int_equal(sample_table__take(*state, keys, second, 3), 0);
	assert_row(*state, 1, "banana", 5, 0);
}

static void a_map_that_cannot_be_read_leaves_the_table_unchanged(void **state)
{
	const struct sample_sum sums[] = { { 2, 20 } };

	assert_int_equal(sample_table__take(*state, keys, sums, 1), 0);
	assert_int_equal(sample_table__read(*state, -1), -EBADF);
	assert_int_equal(sample_table__nr(*state), 1);
}

static void an_empty_reading_is_an_empty_table(void **state)
{
	assert_int_equal(sample_table__take(*state, keys, NULL, 0), 0);
	assert_int_equal(sample_table__nr(*state), 0);
	sample_table__mark(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places_are_ordered_by_their_keys, make, drop),
		cmocka_unit_test_setup_teardown(
			an_interval_begins_at_the_mark_also_for_earlier_places, make, drop),
		cmocka_unit_test_setup_teardown(
			a_map_that_cannot_be_read_leaves_the_table_unchanged, make, drop),
		cmocka_unit_test_setup_teardown(an_empty_reading_is_an_empty_table, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
