// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/cgroup/cgroup-slots.h"
#include "util/machine/cgroup/cgroup.h"

#define MAX_LISTED 64

/*
 * Makes slots for cgroups with these paths. The ID of a cgroup is its index in the list plus 100.
 */
static struct cgroup_slots *make(const char *const *paths, int nr)
{
	static struct cgroup cgroups[MAX_LISTED];
	struct cgroup *listed[MAX_LISTED];
	struct cgroup_slots *slots;

	for (int i = 0; i < nr; i++) {
		cgroups[i] = (struct cgroup){ .path = (char *)paths[i], .id = (uint64_t)i + 100 };
		listed[i] = &cgroups[i];
	}
	slots = cgroup_slots__new(listed, nr);
	assert_non_null(slots);
	assert_int_equal(slots->nr_listed, nr);
	return slots;
}

/* Returns the index in the list of the nearest ancestor, or -1 if there is none. */
static int above(const struct cgroup_slots *slots, int place)
{
	uint32_t parent = slots->parent[slots->of[place]];

	for (int i = 0; parent && i < slots->nr_listed; i++)
		if (slots->of[i] == parent)
			return i;
	return -1;
}

static void each_cgroup_is_below_its_nearest_listed_ancestor(void **state)
{
	const char *const paths[] = {
		"/a/b/c/d", "/a", "/a/b", "/b", "/a/bc", "/a/b/c/d/e", "/ab"
	};
	const int expected[] = { 2, -1, 1, -1, 1, 0, -1 };
	struct cgroup_slots *slots = make(paths, 7);

	(void)state;
	assert_int_equal(slots->nr, 8);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(above(slots, i), expected[i]);
		assert_int_equal(slots->ids[slots->of[i]], i + 100);
	}
	cgroup_slots__free(slots);
}

static void the_root_is_above_all_cgroups(void **state)
{
	const char *const paths[] = { "/x/y", "", "/x", "/-" };
	struct cgroup_slots *slots = make(paths, 4);

	(void)state;
	assert_int_equal(above(slots, 0), 2);
	assert_int_equal(above(slots, 1), -1);
	assert_int_equal(above(slots, 2), 1);
	assert_int_equal(above(slots, 3), 1);
	cgroup_slots__free(slots);
}

/*
 * '-' and ' ' sort before '/', so a cgroup's own children may not directly follow it in a list
 * sorted by path.
 */
static void names_with_the_same_beginning_are_not_nested(void **state)
{
	const char *const paths[] = { "/a", "/a-b", "/a b/c", "/a/x", "/a!" };
	const int expected[] = { -1, -1, -1, 0, -1 };
	struct cgroup_slots *slots = make(paths, 5);

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(above(slots, i), expected[i]);
	cgroup_slots__free(slots);
}

static void a_cgroup_that_is_listed_twice_has_one_slot(void **state)
{
	const char *const paths[] = { "/a", "/a/b", "/a", "/a/b" };
	struct cgroup_slots *slots = make(paths, 4);

	(void)state;
	assert_int_equal(slots->nr, 3);
	assert_int_equal(slots->of[0], slots->of[2]);
	assert_int_equal(slots->of[1], slots->of[3]);
	cgroup_slots__free(slots);
}

static void a_cgroup_includes_the_cgroups_below_it(void **state)
{
	const char *const paths[] = { "/a", "/a/b", "/a/b/c", "/d" };
	struct cgroup_slots *slots = make(paths, 4);
	uint64_t own[5][2], cells[5][2];

	(void)state;
	for (int i = 0; i < 5; i++) {
		cells[i][0] = 1ULL << (4 * i);
		cells[i][1] = 1;
	}
	memcpy(own, cells, sizeof(own));
	cgroup_slots__add_up(slots, own[0], cells[0], 2);
	/* Slots are in the order of the tree, and slot 0 belongs to no sum. */
	assert_int_equal(cells[0][0], 0x1);
	assert_int_equal(cells[slots->of[0]][0], 0x1110);
	assert_int_equal(cells[slots->of[1]][0], 0x1100);
	assert_int_equal(cells[slots->of[2]][0], 0x1000);
	assert_int_equal(cells[slots->of[3]][0], 0x10000);
	assert_int_equal(cells[slots->of[0]][1], 3);
	cgroup_slots__free(slots);
}

/* Cgroups are made and removed one at a time. */
static void a_slot_finds_the_nearest_cgroup_above_it_that_still_exists(void **state)
{
	struct cgroup_slots *slots = cgroup_slots__new_places(4);
	const char *const names[] = { "a", "a/b", "a/b/c", "a-b" };
	const uint32_t parents[] = { 0, 1, 2, 0 };

	(void)state;
	assert_non_null(slots);
	assert_int_equal(slots->nr, 1);
	for (int i = 0; i < 4; i++) {
		cgroup_slots__use(slots, i);
		assert_int_equal(slots->nr, i + 2);
		assert_int_equal(cgroup_slots__place(slots, i, names[i], (uint64_t)i + 5), 0);
		assert_int_equal(slots->of[i], i + 1);
		assert_int_equal(slots->ids[i + 1], i + 5);
		assert_int_equal(slots->parent[i + 1], parents[i]);
	}
	/* b was removed, and c is made again. */
	cgroup_slots__leave(slots, 1);
	assert_int_equal(cgroup_slots__place(slots, 2, "a/b/c", 9), 0);
	assert_int_equal(slots->parent[3], 1);
	cgroup_slots__free(slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cgroup_is_below_its_nearest_listed_ancestor),
		cmocka_unit_test(the_root_is_above_all_cgroups),
		cmocka_unit_test(names_with_the_same_beginning_are_not_nested),
		cmocka_unit_test(a_cgroup_that_is_listed_twice_has_one_slot),
		cmocka_unit_test(a_cgroup_includes_the_cgroups_below_it),
		cmocka_unit_test(a_slot_finds_the_nearest_cgroup_above_it_that_still_exists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
