// SPDX-License-Identifier: GPL-2.0-only
/* Readings to cells: scaled, added up, merged. */
#include "tests/unit/report-rows.h"

static void multiplexed_counts_are_scaled_and_truncated(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 10, 700, 300); /* 23.33 */
	fixture__set(&f, 0, 1, 0, 5, 700, 700);
	run(&f);
	row_counts(&f, 0, 23 + 5);
	assert_int_equal(f.rows.rows[0].enabled, 1400);
	assert_int_equal(f.rows.rows[0].running, 1000);
	assert_int_equal(f.rows.rows[0].nr_aggr, 2);
	fixture__free(&f);
}

static void no_scale_shows_the_unscaled_values(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	f.config.no_scale = true;
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 10, 700, 300);
	run(&f);
	row_counts(&f, 0, 10);
	fixture__free(&f);
}

static void counts_up_to_the_last_bit_stay_exact(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, UINT64_MAX, 10, 10);
	run(&f);
	row_counts(&f, 0, 18446744073709551615.0);
	/* scaling exceeds 64 bits, so the count is the largest value */
	fixture__set(&f, 0, 0, 0, UINT64_MAX, UINT64_MAX, 1);
	run(&f);
	row_counts(&f, 0, 18446744073709551615.0);
	fixture__free(&f);
}

/*
 * If the target never ran on a CPU, nothing is wrong. If an event was enabled there and never got a
 * counter, its count is not complete.
 */
static void a_cpu_without_a_counter_spoils_its_aggregate_and_an_idle_one_does_not(void **state)
{
	struct fixture f;

	(void)state;
	for (int starved = 0; starved < 2; starved++) {
		struct fake_tree tree;
		struct sysroots roots = { .sysfs = tree.root };
		struct topology *topology;

		fake_tree__init(&tree);
		for (int cpu = 0; cpu < 4; cpu++)
			fake_tree__add_cpu(&tree,
					   &(struct fake_cpu){ cpu, cpu / 2, 0, 0, cpu, NULL });
		fixture__init(&f, "0-3");
		fixture__cs(&f);
		assert_int_equal(topology__read(&roots, f.cpus, TOPOLOGY_NO_CACHE, &topology), 0);
		f.config.topology = topology;
		fixture__ready(&f, AGGR_SOCKET);
		for (int cpu = 0; cpu < 4; cpu++)
			fixture__set(&f, 0, cpu, 0, 10, 100, 100);
		fixture__set(&f, 0, 1, 0, 0, starved ? 100 : 0, 0);
		run(&f);
		assert_int_equal(f.rows.nr, 2);
		if (starved)
			assert_int_equal(f.rows.rows[0].state, ROW_NOT_COUNTED);
		else
			row_counts(&f, 0, 10);
		assert_int_equal(f.rows.rows[0].nr_aggr, 2);
		row_counts(&f, 1, 20);
		fixture__free(&f);
		topology__free(topology);
		fake_tree__free(&tree);
	}
}

/* {imc/reads/,imc/writes/} on two PMUs makes a group on each. */
static void a_group_on_several_pmus_adds_each_event_into_its_own_row(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	for (int i = 0; i < 4; i++) {
		struct evsel *evsel =
			fixture__event(&f, i % 2 ? "imc/writes/" : "imc/reads/", 30 + i / 2, i % 2);

		evsel->leader = f.evlist->entries[i / 2 * 2];
		evsel->merged = i > 1;
		evsel->merge_into = i > 1 ? f.evlist->entries[i % 2] : NULL;
	}
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 4; i++)
		fixture__count(&f, i, 1 + 10 * i, 100);
	run(&f);
	assert_int_equal(f.rows.nr, 2);
	row_counts(&f, 0, 1 + 21);
	row_counts(&f, 1, 11 + 31);
	fixture__free(&f);
}

static void an_event_of_several_pmus_is_one_row(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	for (int i = 0; i < 3; i++) {
		struct evsel *evsel = fixture__event(&f, "uncore_imc/reads/", 30 + (uint32_t)i, 1);

		evsel->merged = i > 0;
		evsel->merge_into = i ? f.evlist->entries[0] : NULL;
		assert_true(asprintf(&evsel->pmu_name, "uncore_imc_%d", i) > 0);
	}
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	counts__set_unsupported(f.events[0], -ENOENT, NULL);
	for (int i = 1; i < 4; i++)
		fixture__count(&f, i, 10, 100);
	run(&f);
	assert_int_equal(f.rows.nr, 2);
	row_counts(&f, 0, 20);
	assert_int_equal(f.rows.rows[0].running, 200);
	assert_string_equal(f.rows.rows[0].event, "uncore_imc/reads/");
	assert_string_equal(f.rows.rows[1].event, "cs");
	fixture__free(&f);
}

static void a_package_counts_once_by_its_first_cpu_that_ran(void **state)
{
	struct topology *topology;
	struct fake_tree tree;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-7");
	topology = two_sockets(&tree, f.cpus);
	fixture__event(&f, "llc/occupancy/", 30, 1)->per_pkg = true;
	f.config.topology = topology;
	fixture__ready(&f, AGGR_SOCKET);
	for (int cpu = 0; cpu < 8; cpu++)
		fixture__set(&f, 0, cpu, 0, 100 + (uint64_t)cpu, 10, 10);
	fixture__set(&f, 0, 0, 0, 0, 0, 0);
	run(&f);
	row_counts(&f, 0, 101);
	row_counts(&f, 1, 104);
	assert_int_equal(f.rows.rows[1].nr_aggr, 4);
	fixture__free(&f);
	topology__free(topology);
	fake_tree__free(&tree);
}

static void a_percore_event_has_one_row_per_core(void **state)
{
	struct topology *topology;
	struct fake_tree tree;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-7");
	topology = two_sockets(&tree, f.cpus);
	fixture__event(&f, "cpu/event=1,percore/", PERF_TYPE_RAW, 1)->percore = true;
	fixture__cs(&f);
	f.config.topology = topology;
	fixture__ready(&f, AGGR_NONE);
	for (int cpu = 0; cpu < 8; cpu++) {
		fixture__set(&f, 0, cpu, 0, 1ULL << cpu, 10, 10);
		fixture__set(&f, 1, cpu, 0, 1, 10, 10);
	}
	run(&f);
	assert_int_equal(f.rows.nr, 4 + 8);
	for (int core = 0; core < 4; core++) {
		row_counts(&f, core, 3 << 2 * core);
		assert_true(f.rows.rows[core].id.percore);
		assert_int_equal(f.rows.rows[core].id.socket, core / 2);
		assert_int_equal(f.rows.rows[core].id.core, core % 2);
	}
	assert_false(f.rows.rows[4].id.percore);
	fixture__free(&f);
	topology__free(topology);
	fake_tree__free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexed_counts_are_scaled_and_truncated),
		cmocka_unit_test(no_scale_shows_the_unscaled_values),
		cmocka_unit_test(counts_up_to_the_last_bit_stay_exact),
		cmocka_unit_test(
			a_cpu_without_a_counter_spoils_its_aggregate_and_an_idle_one_does_not),
		cmocka_unit_test(an_event_of_several_pmus_is_one_row),
		cmocka_unit_test(a_group_on_several_pmus_adds_each_event_into_its_own_row),
		cmocka_unit_test(a_package_counts_once_by_its_first_cpu_that_ran),
		cmocka_unit_test(a_percore_event_has_one_row_per_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
