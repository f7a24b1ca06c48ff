// SPDX-License-Identifier: GPL-2.0-only
/* The session does not trust what another session's leader says about CPUs. */
#include "tests/unit/fake-tree.h"

#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/machine/cpu/cpumap.h"

#define NR_CPUS 4

static struct cgroup_group priv;
static struct backend_group group;
static struct cgroup_object object;
static struct cpumap *counted, *online;

/* Four CPUs are possible, and CPUs 0 and 1 are counted. CPU 1 goes offline and comes back. */
static int set_up(void **state)
{
	(void)state;
	assert_int_equal(cpumap__parse("0-1", &counted), 0);
	assert_int_equal(cpumap__parse("0-3", &priv.possible), 0);
	assert_int_equal(cpumap__parse("0-1", &online), 0);
	group = (struct backend_group){ .cpus = counted, .online = online, .priv = &priv };
	object = (struct cgroup_object){ .sizes = { .nr_cells = 2, .nr_cpus = NR_CPUS } };
	object.cpu_size = cgroup_sizes__cpu_size(&object.sizes);
	object.cpus = aligned_alloc(64, object.cpu_size * NR_CPUS);
	assert_non_null(object.cpus);
	memset(object.cpus, 0, object.cpu_size * NR_CPUS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(object.cpus);
	cpumap__free(counted);
	cpumap__free(online);
	cpumap__free(priv.possible);
	return 0;
}

static void a_leader_with_all_possible_cpus_is_joined(void **state)
{
	(void)state;
	assert_true(cgroup_group__has_cpus(&group, &object));
	cgroup_object__cpu(&object, 2)->skip = CGROUP_SKIP_NO_EVENTS;
	assert_true(cgroup_group__has_cpus(&group, &object));
}

static void a_leader_that_skips_a_counted_cpu_is_not_joined(void **state)
{
	(void)state;
	cgroup_object__cpu(&object, 1)->skip = CGROUP_SKIP_UNWANTED;
	assert_false(cgroup_group__has_cpus(&group, &object));
}

static void a_leader_that_skips_an_offline_cpu_is_joined(void **state)
{
	(void)state;
	cpumap__remove(online, 1);
	cgroup_object__cpu(&object, 1)->skip = CGROUP_SKIP_NO_EVENTS;
	assert_true(cgroup_group__has_cpus(&group, &object));
}

static void a_leader_without_room_for_a_possible_cpu_is_not_joined(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < NR_CPUS; nr++) {
		object.sizes.nr_cpus = nr;
		assert_false(cgroup_group__has_cpus(&group, &object));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_leader_with_all_possible_cpus_is_joined, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_leader_that_skips_a_counted_cpu_is_not_joined,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_leader_that_skips_an_offline_cpu_is_joined,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_leader_without_room_for_a_possible_cpu_is_not_joined, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
