// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/count/cgroup/cgroup-members.h"
#include "util/count/cgroup/cgroup-session.h"

/*
 * The IDs: /a is 10, /a/b 11, /a/b/c 12, /d 13, and the root 1. They are sorted by slot, in the
 * order in which sessions have listed them.
 */
static const struct cgroup_member members[] = {
	[1] = { .id = 12, .nr_above = 3, .above = { 11, 10, 1 } },
	[2] = { .id = 10, .nr_above = 1, .above = { 1 } },
	[3] = { .id = 13, .nr_above = 1, .above = { 1 } },
	[4] = { .id = 11, .nr_above = 2, .above = { 10, 1 } },
};

static void the_parent_is_the_nearest_cgroup_above_that_has_a_slot(void **state)
{
	uint32_t parent[5];

	(void)state;
	assert_int_equal(cgroup_members__find_parents(members, 4, parent), 0);
	assert_int_equal(parent[1], 2);
	assert_int_equal(parent[2], 0);
	assert_int_equal(parent[3], 0);
	/* A cgroup that was added later is between the others. */
	assert_int_equal(cgroup_members__find_parents(members, 5, parent), 0);
	assert_int_equal(parent[1], 4);
	assert_int_equal(parent[4], 2);
}

static void if_a_cgroup_has_two_slots_the_last_one_counts(void **state)
{
	struct cgroup_member doubled[] = { {}, members[2], members[4], members[2], { .id = 0 } };
	uint32_t parent[5];

	(void)state;
	assert_int_equal(cgroup_members__find_parents(doubled, 5, parent), 0);
	assert_int_equal(parent[2], 3);
	assert_int_equal(parent[4], 0);
}

static void no_cgroup_is_above_itself_whatever_the_map_contains(void **state)
{
	const struct cgroup_member circle[] = {
		[1] = { .id = 5, .nr_above = 2, .above = { 6, 1 } },
		[2] = { .id = 6, .nr_above = 2, .above = { 5, 1 } },
		[3] = { .id = 7, .nr_above = 77, .above = { 7, 6 } }
	};
	uint32_t parent[4];

	(void)state;
	assert_int_equal(cgroup_members__find_parents(circle, 4, parent), 0);
	assert_int_equal(parent[1], 0);
	assert_int_equal(parent[2], 0);
	assert_int_equal(parent[3], 2);
}

static void a_session_counts_while_it_is_enabled(void **state)
{
	struct cgroup_session *session = cgroup_session__new(2, 2, 3, 1);
	uint64_t sums[] = { 0, 0, 0, 0, 100, 1000 }, counts[4];

	(void)state;
	assert_non_null(session);
	session->place[1] = 2;
	cgroup_session__toggle(session, 0, sums);
	sums[4] += 5;
	cgroup_session__count(session, 0, sums, 1, counts);
	assert_int_equal(counts[2], 5);
	assert_int_equal(counts[3], 0);
	cgroup_session__toggle(session, 0, sums);
	sums[4] += 50;
	cgroup_session__count(session, 0, sums, 0, counts);
	assert_int_equal(counts[2], 5);
	cgroup_session__toggle(session, 0, sums);
	sums[4] += 500;
	sums[5] += 7;
	cgroup_session__count(session, 0, sums, 1, counts);
	assert_int_equal(counts[2], 505);
	assert_int_equal(counts[3], 7);
	cgroup_session__free(session);
}

static void the_tree_is_read_again_when_it_has_changed(void **state)
{
	struct cgroup_session *session = cgroup_session__new(2, 1, 5, 1);
	struct cgroup_control control = { .generation = 1, .nr_used = 4 };

	(void)state;
	assert_non_null(session);
	assert_int_equal(cgroup_session__refresh(session, &control, members, 5), 0);
	assert_int_equal(session->tree.nr, 4);
	assert_int_equal(session->tree.parent[1], 2);
	/* more than the number of slots: the last session returned its slots */
	control.nr_used = 9;
	assert_true(cgroup_session__is_current(session, &control));
	control.generation++;
	assert_false(cgroup_session__is_current(session, &control));
	assert_int_equal(cgroup_session__refresh(session, &control, members, 5), 0);
	assert_int_equal(session->tree.nr, 5);
	assert_int_equal(session->tree.parent[1], 4);
	cgroup_session__free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parent_is_the_nearest_cgroup_above_that_has_a_slot),
		cmocka_unit_test(if_a_cgroup_has_two_slots_the_last_one_counts),
		cmocka_unit_test(no_cgroup_is_above_itself_whatever_the_map_contains),
		cmocka_unit_test(a_session_counts_while_it_is_enabled),
		cmocka_unit_test(the_tree_is_read_again_when_it_has_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
