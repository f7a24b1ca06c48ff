// SPDX-License-Identifier: GPL-2.0-only
/* Runs, intervals, and the rows and their order. */
#include "tests/unit/report-rows.h"

#include <errno.h>

static void runs_are_averaged_in_every_mode(void **state)
{
	static const struct fixture_thread threads[] = { { 1, "a" }, { 2, "b" } };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__threads(&f, threads, 2);
	fixture__ready(&f, AGGR_THREAD);
	for (int i = 0; i < 3; i++) {
		fixture__set(&f, 0, 0, 0, 10, 100, 100);
		fixture__set(&f, 0, 0, 1, 100 + 3 * (uint64_t)i, 300, 150);
		fixture__add_run(&f, 1e9 + i);
	}
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	row_counts(&f, 0, 10);
	assert_true(f.rows.rows[0].noise == 0.0);
	/* 200, 206, 212: the standard deviation is 6, and the standard error of the mean is 6/√3 */
	row_counts(&f, 1, 206);
	assert_true(f.rows.rows[1].noise > 1.681 && f.rows.rows[1].noise < 1.682);
	assert_int_equal(f.rows.rows[1].enabled, 300);
	assert_true(report__elapsed(f.report)->mean == 1e9 + 1);
	fixture__free(&f);
}

static void a_repetition_in_which_an_event_is_not_open_is_not_in_its_mean(void **state)
{
	static const bool opens[] = { false, true, false, true };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 4; i++) {
		counts__reset(f.events[0]);
		if (opens[i])
			fixture__count(&f, 0, 10 * (uint64_t)i, 100);
		else
			counts__set_unsupported(f.events[0], -ENOENT, NULL);
		counts__reset(f.events[1]);
		counts__set_unsupported(f.events[1], -ENOENT, NULL);
		fixture__add_run(&f, 1e9);
	}
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	/* 10 and 30: the standard deviation is 14.14, and the standard error of the mean is 10 */
	row_counts(&f, 0, 20);
	assert_true(f.rows.rows[0].noise > 49.99 && f.rows.rows[0].noise < 50.01);
	assert_int_equal(f.rows.rows[0].running, 100);
	assert_int_equal(f.rows.rows[1].state, ROW_NOT_SUPPORTED);
	assert_int_equal(report__missed(f.report, 0, 0), 2);
	assert_int_equal(report__missed(f.report, 1, 0), 4);
	report__reset(f.report);
	assert_int_equal(report__missed(f.report, 0, 0), 0);
	fixture__free(&f);
}

static void a_repetition_in_which_an_event_never_got_a_counter_is_not_in_its_mean(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	for (uint64_t i = 0; i < 4; i++) {
		/*
		 * the first event is always enabled and counts in every other run; the second event
		 * never counts
		 */
		fixture__set(&f, 0, 0, 0, i % 2 ? 10 * i : 0, 100, i % 2 ? 100 : 0);
		fixture__set(&f, 1, 0, 0, 0, 100, 0);
		fixture__add_run(&f, 1e9);
	}
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	row_counts(&f, 0, 20);
	assert_int_equal(f.rows.rows[0].running, 100);
	assert_int_equal(f.rows.rows[1].state, ROW_NOT_COUNTED);
	assert_int_equal(report__waited(f.report, 0, 0), 2);
	assert_int_equal(report__waited(f.report, 1, 0), 4);
	report__reset(f.report);
	assert_int_equal(report__waited(f.report, 0, 0), 0);
	fixture__free(&f);
}

static void an_interval_does_not_change_the_runs(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 10, 100);
	fixture__add_run(&f, 1e9);
	fixture__mark(&f);
	fixture__count(&f, 0, 13, 200);
	assert_int_equal(fixture__read_interval(&f, 1e9), 0);
	row_counts(&f, 0, 3);
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	row_counts(&f, 0, 10);
	assert_int_equal(f.rows.rows[0].running, 100);
	report__reset(f.report);
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	assert_int_equal(f.rows.rows[0].state, ROW_NOT_COUNTED);
	fixture__free(&f);
}

static void without_aggregation_pmus_are_named(void **state)
{
	struct evsel *evsel;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	for (int i = 0; i < 2; i++) {
		evsel = fixture__event(&f, "uncore_imc/reads/", 30 + (uint32_t)i, 1);
		evsel->merged = i > 0;
		evsel->merge_into = i ? f.evlist->entries[0] : NULL;
		assert_true(asprintf(&evsel->pmu_name, "uncore_imc_%d", i) > 0);
	}
	evsel = fixture__event(&f, "mem-loads", PERF_TYPE_RAW, 5);
	evsel->is_core_pmu = true;
	evsel->pmu_name = strdup("cpu_core");
	evsel = fixture__event(&f, "r1a0", PERF_TYPE_RAW, 0x1a0);
	evsel->pmu_name = strdup("cpu");
	fixture__event(&f, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 9);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, 0);
	evsel = fixture__event(&f, "L1D.REPLACEMENT", PERF_TYPE_RAW, 0x51);
	evsel->pmu_name = strdup("cpu");
	evsel->name_given = true;
	fixture__cs(&f);
	fixture__faults(&f)->is_default = true;
	fixture__event(&f, "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0);
	f.config.core_pmu = "cpu";
	fixture__ready(&f, AGGR_NONE);
	for (int i = 0; i < f.evlist->nr; i++)
		fixture__count(&f, i, 1, 1);
	run(&f);
	assert_string_equal(f.rows.rows[0].event, "uncore_imc_0/reads/");
	assert_string_equal(f.rows.rows[1].event, "uncore_imc_1/reads/");
	assert_string_equal(f.rows.rows[2].event, "cpu_core/mem-loads/");
	assert_string_equal(f.rows.rows[3].event, "r1a0 [cpu]");
	assert_string_equal(f.rows.rows[4].event, "sched:sched_switch");
	assert_string_equal(f.rows.rows[5].event, "cycles");
	assert_string_equal(f.rows.rows[6].event, "L1D.REPLACEMENT");
	assert_string_equal(f.rows.rows[7].event, "cs [software]");
	assert_string_equal(f.rows.rows[8].event, "page-faults");
	assert_string_equal(f.rows.rows[9].event, "L1-dcache-loads [cpu]");
	fixture__free(&f);
}

/* As in perf, a row with a count of zero is omitted if the event could not have counted. */
static void an_event_that_could_not_count_has_no_row_for_zero(void **state)
{
	struct cpumap *own, *any = cpumap__any();
	struct evsel *evsel;
	struct fixture f;

	(void)state;
	assert_int_equal(cpumap__parse("0", &own), 0);
	fixture__init(&f, "0-1");
	fixture__cs(&f);
	evsel = fixture__event(&f, "uncore/x/", 30, 1);
	evsel->is_uncore = true;
	evsel->pmu_cpus = cpumap__copy(own);
	fixture__event(&f, "duration_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)->tool =
		TOOL_DURATION_TIME;
	fixture__event(&f, "system_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)->tool =
		TOOL_SYSTEM_TIME;
	fixture__event(&f, "run_cnt", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)->tool = TOOL_RUN_CNT;
	fixture__ready(&f, AGGR_NONE);
	counts__free(f.events[1]);
	f.events[1] = counts__new(f.evlist->entries[1], own, 1);
	for (int i = 2; i < 4; i++) {
		counts__free(f.events[i]);
		f.events[i] = counts__new(f.evlist->entries[i], any, 1);
	}
	fixture__count(&f, 2, 123, 123);
	run(&f);
	assert_int_equal(f.rows.nr, 6);
	assert_int_equal(f.rows.rows[1].id.cpu, 1);		/* cs twice, not counted */
	assert_string_equal(f.rows.rows[2].event, "uncore/x/"); /* once, not counted */
	assert_string_equal(f.rows.rows[3].event, "duration_time");
	assert_int_equal(f.rows.rows[3].id.cpu, 0);
	assert_string_equal(f.rows.rows[4].event, "run_cnt"); /* twice */
	fixture__free(&f);
	cpumap__free(own);
	cpumap__free(any);
}

static void with_all_cpus_idle_threads_are_omitted(void **state)
{
	static const struct fixture_thread threads[] = { { 1, "a" }, { 2, "b" }, { 3, "c" } };
	struct fixture f;

	(void)state;
	for (int system_wide = 0; system_wide < 2; system_wide++) {
		fixture__init(&f, NULL);
		fixture__cs(&f);
		f.config.system_wide = system_wide;
		fixture__threads(&f, threads, 3);
		fixture__ready(&f, AGGR_THREAD);
		fixture__set(&f, 0, 0, 1, 5, 10, 10);
		fixture__set(&f, 0, 0, 2, 0, 10, 10);
		run(&f);
		assert_int_equal(f.rows.nr, system_wide ? 1 : 3);
		assert_int_equal(f.rows.rows[0].id.tid, system_wide ? 2 : 1);
		fixture__free(&f);
	}
}

static void rows_are_ordered_by_event_or_by_aggregate_or_by_cgroup(void **state)
{
	static const struct {
		int nr_cgroups;
		const char *order; /* cgroup, event and socket of each row */
	} cases[] = {
		{ 0, "00 10 01 11 " },
		{ 2, "a00 a10 a01 a11 b00 b10 b01 b11 " },
	};
	struct topology *topology;
	struct fake_tree tree;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char order[64] = "";

		fixture__init(&f, "0-7");
		topology = two_sockets(&tree, f.cpus);
		for (char name[] = "0"; *name < '2'; ++*name)
			fixture__event(&f, name, PERF_TYPE_TRACEPOINT, 1);
		for (int cgroup = 0; cgroup < cases[i].nr_cgroups; cgroup++)
			fixture__cgroup(&f, cgroup ? "b" : "a");
		f.config.topology = topology;
		fixture__ready(&f, AGGR_SOCKET);
		run(&f);
		for (int row = 0; row < f.rows.nr; row++)
			sprintf(order + strlen(order), "%s%s%d ", f.rows.rows[row].cgroup ?: "",
				f.rows.rows[row].event, f.rows.rows[row].id.socket);
		assert_string_equal(order, cases[i].order);
		fixture__free(&f);
		topology__free(topology);
		fake_tree__free(&tree);
	}
}

static void the_largest_cgroups_come_first_and_unused_slots_have_no_rows(void **state)
{
	static const uint64_t counts[] = { 5, 7, 9, 10, 5 };
	static const struct {
		int top;
		const char *order;
	} cases[] = {
		{ 0, "aabbddee" }, { 1, "dd" }, { 2, "ddbb" }, { 3, "ddbbaa" }, { 9, "ddbbaaee" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		char order[16] = "";

		fixture__init(&f, NULL);
		fixture__event(&f, "first", PERF_TYPE_TRACEPOINT, 1);
		fixture__event(&f, "second", PERF_TYPE_TRACEPOINT, 1);
		for (char name[] = "a"; *name <= 'e'; ++*name)
			fixture__cgroup(&f, name);
		f.subjects.list[2].state = SUBJECT_NONE;
		f.config.top = cases[i].top;
		fixture__ready(&f, AGGR_GLOBAL);
		for (int cgroup = 0; cgroup < 5; cgroup++) {
			fixture__set(&f, 0, 0, cgroup, counts[cgroup], 1000, 1000);
			fixture__set(&f, 1, 0, cgroup, 9 - counts[cgroup] / 2, 1000, 1000);
		}
		run(&f);
		for (int row = 0; row < f.rows.nr; row++)
			strcat(order, f.rows.rows[row].cgroup);
		assert_string_equal(order, cases[i].order);
		fixture__free(&f);
	}
}

static void a_removed_cgroup_has_rows_in_one_more_interval_and_in_the_sum(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__cgroup(&f, "a");
	fixture__cgroup(&f, "b");
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 1, 7, 10, 10);
	f.subjects.list[1].state = SUBJECT_GONE;
	for (int nr = 2; nr > 0; nr--) {
		assert_int_equal(fixture__read_interval(&f, 1e9), 0);
		assert_int_equal(f.rows.nr, nr);
		subjects__mark(&f.subjects);
	}
	run(&f);
	assert_int_equal(f.rows.nr, 2);
	row_counts(&f, 1, 7);
	fixture__free(&f);
}

static void an_event_may_be_open_for_some_of_the_cgroups(void **state)
{
	static const struct {
		bool refused[2];
		int missed[2];
		enum row_state states[2];
	} runs[] = {
		{ { false, true }, { 0, 1 }, { ROW_COUNTED, ROW_NOT_SUPPORTED } },
		{ { true, true }, { 1, 2 }, { ROW_COUNTED, ROW_NOT_SUPPORTED } },
		{ { false, false }, { 1, 2 }, { ROW_COUNTED, ROW_COUNTED } },
	};
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__cgroup(&f, "a");
	fixture__cgroup(&f, "b");
	fixture__ready(&f, AGGR_GLOBAL);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct counts *counts = f.events[0];

		counts__reset(counts);
		for (int cgroup = 0; cgroup < 2; cgroup++) {
			if (runs[i].refused[cgroup])
				assert_int_equal(counts__set_column_unsupported(counts, cgroup,
										-ENOENT, "gone"),
						 0);
			else
				fixture__set(&f, 0, 0, cgroup, 5, 10, 10);
		}
		assert_int_equal(counts->open_err,
				 runs[i].refused[0] && runs[i].refused[1] ? -ENOENT : 0);
		assert_int_equal(fixture__add_run(&f, 1e9), 0);
		assert_int_equal(report__rows(f.report, &f.rows), 0);
		for (int cgroup = 0; cgroup < 2; cgroup++) {
			assert_int_equal(report__missed(f.report, 0, cgroup),
					 runs[i].missed[cgroup]);
			assert_int_equal(f.rows.rows[cgroup].state, runs[i].states[cgroup]);
		}
	}
	row_counts(&f, 0, 5);
	row_counts(&f, 1, 5);
	fixture__free(&f);
}

static void units_of_unsupported_events_do_not_widen_the_column(void **state)
{
	struct evsel *evsel;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	evsel = fixture__event(&f, "power/energy-pkg/", 40, 2);
	free(evsel->unit);
	evsel->unit = strdup("Joules");
	fixture__ready(&f, AGGR_GLOBAL);
	run(&f);
	assert_int_equal(f.rows.unit_width, 6);
	counts__set_unsupported(f.events[0], -ENOENT, NULL);
	run(&f);
	assert_int_equal(f.rows.unit_width, 4);
	assert_int_equal(f.rows.rows[0].state, ROW_NOT_SUPPORTED);
	assert_int_equal(f.rows.rows[0].nr_aggr, 0);
	fixture__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_averaged_in_every_mode),
		cmocka_unit_test(a_repetition_in_which_an_event_is_not_open_is_not_in_its_mean),
		cmocka_unit_test(
			a_repetition_in_which_an_event_never_got_a_counter_is_not_in_its_mean),
		cmocka_unit_test(an_interval_does_not_change_the_runs),
		cmocka_unit_test(without_aggregation_pmus_are_named),
		cmocka_unit_test(an_event_that_could_not_count_has_no_row_for_zero),
		cmocka_unit_test(with_all_cpus_idle_threads_are_omitted),
		cmocka_unit_test(rows_are_ordered_by_event_or_by_aggregate_or_by_cgroup),
		cmocka_unit_test(the_largest_cgroups_come_first_and_unused_slots_have_no_rows),
		cmocka_unit_test(a_removed_cgroup_has_rows_in_one_more_interval_and_in_the_sum),
		cmocka_unit_test(an_event_may_be_open_for_some_of_the_cgroups),
		cmocka_unit_test(units_of_unsupported_events_do_not_widen_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
