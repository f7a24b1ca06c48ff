// SPDX-License-Identifier: GPL-2.0-only
/* Events of PMUs that count on some CPUs only: their rows, and the numbers of CPUs. */
#include "tests/unit/report-rows.h"

/*
 * Two sockets of four CPUs each. The events of both memory controllers are read on the first CPU of
 * each socket.
 */
struct machine {
	struct fixture f;
	struct fake_tree tree;
	struct topology *topology;
};

static struct evsel *add_event(struct fixture *f, const char *name, const char *cpus,
			       bool is_uncore)
{
	struct evsel *evsel = fixture__event(f, name, 30, 1);

	evsel->is_uncore = is_uncore;
	assert_int_equal(cpumap__parse(cpus, &evsel->pmu_cpus), 0);
	return evsel;
}

static void machine__init(struct machine *m, const char *cpus)
{
	struct cpumap *all;

	assert_int_equal(cpumap__parse("0-7", &all), 0);
	fixture__init(&m->f, cpus);
	m->topology = two_sockets(&m->tree, all);
	m->f.config.topology = m->topology;
	cpumap__free(all);
}

static void machine__free(struct machine *m)
{
	fixture__free(&m->f);
	topology__free(m->topology);
	fake_tree__free(&m->tree);
}

/* -C overrides the cpumask, so the event has rows for the CPUs that were asked for. */
static void open_on_asked_cpus(struct machine *m, int event)
{
	counts__free(m->f.events[event]);
	m->f.events[event] = counts__new(m->f.evlist->entries[event], m->f.cpus, 1);
}

static void uncore_events_have_rows_only_where_their_pmu_counts(void **state)
{
	static const struct {
		enum aggr_mode mode;
		int nr_rows, nr_aggr;
	} cases[] = {
		{ AGGR_NONE, 2, 1 },   { AGGR_CORE, 2, 1 },   { AGGR_CLUSTER, 2, 1 },
		{ AGGR_SOCKET, 2, 1 }, { AGGR_GLOBAL, 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;

		machine__init(&m, "0-7");
		add_event(&m.f, "imc", "0,4", true);
		fixture__ready(&m.f, cases[i].mode);
		run(&m.f); /* the rows that are "not counted" are for the CPUs of the PMU */
		assert_int_equal(m.f.rows.nr, cases[i].nr_rows);
		assert_int_equal(m.f.rows.rows[0].state, ROW_NOT_COUNTED);
		for (int cpu = 0; cpu < 8; cpu++)
			fixture__set(&m.f, 0, cpu, 0, 5, 10, 10);
		run(&m.f);
		assert_int_equal(m.f.rows.nr, cases[i].nr_rows);
		for (int row = 0; row < m.f.rows.nr; row++) {
			assert_int_equal(m.f.rows.rows[row].nr_aggr, cases[i].nr_aggr);
			row_counts(&m.f, row, 5 * cases[i].nr_aggr);
		}
		machine__free(&m);
	}
}

static void several_pmus_in_one_row_have_the_number_of_cpus_of_one(void **state)
{
	struct machine m;

	(void)state;
	machine__init(&m, "0-7");
	for (int i = 0; i < 4; i++) {
		struct evsel *evsel = add_event(&m.f, "imc", "0,4", true);

		evsel->merged = i > 0;
		evsel->merge_into = i ? m.f.evlist->entries[0] : NULL;
	}
	fixture__ready(&m.f, AGGR_SOCKET);
	for (int event = 0; event < 4; event++)
		for (int cpu = 0; cpu < 8; cpu++)
			fixture__set(&m.f, event, cpu, 0, 5, 10, 10);
	run(&m.f);
	assert_int_equal(m.f.rows.nr, 2);
	assert_int_equal(m.f.rows.rows[0].nr_aggr, 1);
	row_counts(&m.f, 0, 20);
	row_counts(&m.f, 1, 20);
	machine__free(&m);
}

/* CPU 1 is not in the mask of any PMU, but CPU 0 on the same socket and core is. */
static void a_requested_cpu_counts_for_its_package(void **state)
{
	static const struct {
		enum aggr_mode mode;
		int nr_of_zero;
	} cases[] = { { AGGR_NONE, 0 }, { AGGR_CORE, 1 }, { AGGR_SOCKET, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;

		machine__init(&m, "1");
		add_event(&m.f, "imc", "0,4", true);
		fixture__ready(&m.f, cases[i].mode);
		open_on_asked_cpus(&m, 0);
		fixture__set(&m.f, 0, 0, 0, 0, 10, 10);
		run(&m.f);
		assert_int_equal(m.f.rows.nr, cases[i].nr_of_zero);
		fixture__set(&m.f, 0, 0, 0, 7, 10, 10);
		run(&m.f);
		assert_int_equal(m.f.rows.nr, 1);
		assert_int_equal(m.f.rows.rows[0].nr_aggr, 1);
		row_counts(&m.f, 0, 7);
		machine__free(&m);
	}
}

/* This is what perf stat prints on hybrid machines. */
static void events_of_one_kind_of_core_are_not_counted_on_the_others(void **state)
{
	struct machine m;

	(void)state;
	machine__init(&m, "0-7");
	add_event(&m.f, "cpu_core/x/", "0-3", false);
	fixture__ready(&m.f, AGGR_SOCKET);
	for (int cpu = 0; cpu < 8; cpu++)
		fixture__set(&m.f, 0, cpu, 0, 5, 10, 10);
	run(&m.f);
	assert_int_equal(m.f.rows.nr, 2);
	row_counts(&m.f, 0, 20);
	assert_int_equal(m.f.rows.rows[0].nr_aggr, 4);
	assert_int_equal(m.f.rows.rows[1].state, ROW_NOT_COUNTED);
	assert_int_equal(m.f.rows.rows[1].nr_aggr, 0);
	machine__free(&m);
}

static void an_event_that_has_none_of_the_cpus_has_no_rows(void **state)
{
	struct machine m;

	(void)state;
	machine__init(&m, "5");
	add_event(&m.f, "cpu_core/x/", "0-3", false);
	fixture__cs(&m.f);
	fixture__ready(&m.f, AGGR_NONE);
	fixture__count(&m.f, 1, 3, 10);
	run(&m.f);
	assert_int_equal(m.f.rows.nr, 1);
	row_counts(&m.f, 0, 3);
	machine__free(&m);
}

static void a_zero_of_a_pmu_with_an_empty_mask_is_shown_only_in_the_sum(void **state)
{
	(void)state;
	for (int global = 0; global < 2; global++) {
		struct machine m;

		machine__init(&m, "0-7");
		fixture__event(&m.f, "imc", 30, 1)->is_uncore = true;
		fixture__ready(&m.f, global ? AGGR_GLOBAL : AGGR_SOCKET);
		for (int cpu = 0; cpu < 8; cpu++)
			fixture__set(&m.f, 0, cpu, 0, 0, 10, 10);
		run(&m.f);
		assert_int_equal(m.f.rows.nr, global);
		machine__free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncore_events_have_rows_only_where_their_pmu_counts),
		cmocka_unit_test(several_pmus_in_one_row_have_the_number_of_cpus_of_one),
		cmocka_unit_test(a_requested_cpu_counts_for_its_package),
		cmocka_unit_test(events_of_one_kind_of_core_are_not_counted_on_the_others),
		cmocka_unit_test(an_event_that_has_none_of_the_cpus_has_no_rows),
		cmocka_unit_test(a_zero_of_a_pmu_with_an_empty_mask_is_shown_only_in_the_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
