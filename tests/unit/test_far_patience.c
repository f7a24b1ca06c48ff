// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include "util/base/sysfs.h"
#include "util/machine/symbols/far-patience.h"

#define PID 7
#define S 1000000000ULL
#define BEGUN (50 * S)

static struct fake_tree tree;
static struct sysroots roots = { .procfs = tree.root };
static struct far_patience patience;

static int set_up(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	patience = (struct far_patience){ .length = 2 * S, .begun = BEGUN };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

/* Sets the state of the child and the time in ns for which it has waited for CPUs. */
static void child_is(const char *state, unsigned long long waited)
{
	char text[64];

	/* The name of the child looks like another state. */
	snprintf(text, sizeof(text), "7 (a) R b) %s 1 7", state);
	fake_tree__write(&tree, text, "7/stat");
	snprintf(text, sizeof(text), "123456 %llu 9", waited);
	fake_tree__write(&tree, text, "7/schedstat");
}

static bool is_over(uint64_t after)
{
	return far_patience__is_over(&patience, &roots, PID, BEGUN + after);
}

static void a_sleeping_child_gets_a_period_of_its_own(void **state)
{
	(void)state;
	child_is("D", 9 * S); /* it had waited before the patience began */
	assert_false(is_over(1));
	assert_false(is_over(S + 1));
	assert_false(is_over(2 * S));
	assert_true(is_over(2 * S + 1));
}

static void waiting_for_a_cpu_does_not_count_as_waiting_for_the_file_system(void **state)
{
	(void)state;
	child_is("R", 9 * S);
	assert_false(is_over(S + 1));
	assert_false(is_over(20 * S)); /* it is still waiting, which schedstat does not show yet */
	child_is("S", 28 * S);
	assert_false(is_over(21 * S));
	assert_true(is_over(21 * S + 1));
}

static void without_proc_all_time_counts(void **state)
{
	(void)state;
	assert_false(is_over(2 * S));
	assert_true(is_over(2 * S + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sleeping_child_gets_a_period_of_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			waiting_for_a_cpu_does_not_count_as_waiting_for_the_file_system, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(without_proc_all_time_counts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
