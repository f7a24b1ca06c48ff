// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/metric/metric-table.h"

#define HW PERF_TYPE_HARDWARE
#define CYCLES HW, PERF_COUNT_HW_CPU_CYCLES
#define INSTRUCTIONS HW, PERF_COUNT_HW_INSTRUCTIONS
#define BRANCHES HW, PERF_COUNT_HW_BRANCH_INSTRUCTIONS
#define BRANCH_MISSES HW, PERF_COUNT_HW_BRANCH_MISSES

/* Makes the rows of one run of a second, in which event i counted counts[i]. */
static void run(struct fixture *f, const uint64_t *counts)
{
	fixture__ready(f, AGGR_GLOBAL);
	for (int i = 0; i < f->evlist->nr; i++)
		fixture__count(f, i, counts[i], 1000);
	fixture__add_run(f, 1e9);
	assert_int_equal(report__rows(f->report, &f->rows), 0);
	assert_int_equal(f->rows.nr, f->evlist->nr);
}

static void expect_metric(const struct fixture *f, int row, int nr, double value, const char *unit)
{
	const struct stat_row *r = &f->rows.rows[row];

	assert_true(r->nr_metrics > nr);
	assert_true(r->metrics[nr].has_value);
	assert_string_equal(r->metrics[nr].unit, unit);
	assert_true(fabs(r->metrics[nr].value - value) <= fabs(value) * 1e-12);
}

static void expect_no_value(const struct fixture *f, int row, const char *unit)
{
	const struct stat_row *r = &f->rows.rows[row];

	assert_int_equal(r->nr_metrics, 1);
	assert_false(r->metrics[0].has_value);
	assert_string_equal(r->metrics[0].unit, unit);
}

static void each_miss_is_a_share_of_its_accesses(void **state)
{
	static const struct {
		uint64_t config;
		const char *unit;
	} caches[] = {
		{ PERF_COUNT_HW_CACHE_L1D, "of all L1-dcache accesses" },
		{ PERF_COUNT_HW_CACHE_L1I, "of all L1-icache accesses" },
		{ PERF_COUNT_HW_CACHE_LL, "of all LL-cache accesses" },
		{ PERF_COUNT_HW_CACHE_DTLB, "of all dTLB cache accesses" },
		{ PERF_COUNT_HW_CACHE_ITLB, "of all iTLB cache accesses" },
	};
	static const uint64_t counts[10] = { 1000, 10, 1000, 20, 1000, 30, 1000, 40, 1000, 50 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	for (int i = 0; i < 5; i++) {
		fixture__event(&f, "loads", PERF_TYPE_HW_CACHE, caches[i].config);
		fixture__event(&f, "misses", PERF_TYPE_HW_CACHE,
			       caches[i].config | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	}
	run(&f, counts);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(f.rows.rows[2 * i].nr_metrics, 0);
		expect_metric(&f, 2 * i + 1, 0, i + 1, caches[i].unit);
	}
	fixture__free(&f);
}

static void shares_of_generic_events_have_their_own_words(void **state)
{
	static const uint64_t counts[] = { 1000, 500, 200, 50, 400, 100 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", CYCLES);
	fixture__event(&f, "front", HW, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	fixture__event(&f, "branches", BRANCHES);
	fixture__event(&f, "branch-misses", BRANCH_MISSES);
	fixture__event(&f, "references", HW, PERF_COUNT_HW_CACHE_REFERENCES);
	fixture__event(&f, "cache-misses", HW, PERF_COUNT_HW_CACHE_MISSES);
	run(&f, counts);
	expect_no_value(&f, 0, "GHz");
	expect_metric(&f, 1, 0, 50, "frontend cycles idle");
	expect_metric(&f, 3, 0, 25, "of all branches");
	expect_metric(&f, 5, 0, 25, "of all cache refs");
	assert_int_equal(f.rows.rows[1].metrics[0].level, METRIC_HIGH);
	assert_int_equal(f.rows.rows[3].metrics[0].level, METRIC_SEVERE);
	fixture__free(&f);
}

/*
 * A value above the threshold is red with -M, and yellow in a default metric. The threshold is the
 * same.
 */
static void a_ratio_has_one_threshold(void **state)
{
	int nr = 0;

	(void)state;
	for (int i = 0; i < nr_metrics_builtin; i++) {
		const struct metric_builtin *def = &metrics_builtin[i];
		const char *number = def->threshold ? strrchr(def->threshold, ' ') : NULL;

		if (!def->beside || (!number && def->levels[0] == 0.0f))
			continue;
		assert_non_null(number);
		assert_true(strtof(number, NULL) == def->levels[0]);
		assert_true(def->levels[0] < def->levels[1] && def->levels[1] < def->levels[2]);
		nr++;
	}
	assert_int_equal(nr, 9);
}

static void instructions_show_the_worse_of_two_stalls(void **state)
{
	static const uint64_t counts[] = { 1000, 2000, 100, 300 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "instructions", INSTRUCTIONS);
	fixture__event(&f, "cycles", CYCLES);
	fixture__event(&f, "front", HW, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	fixture__event(&f, "back", HW, PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	run(&f, counts);
	assert_int_equal(f.rows.rows[0].nr_metrics, 2);
	expect_metric(&f, 0, 0, 0.5, "insn per cycle");
	expect_metric(&f, 0, 1, 0.3, "stalled cycles per insn");
	fixture__free(&f);
}

static void rates_change_their_unit_above_a_thousand(void **state)
{
	/* In 1000 ns, a count of n is n × 10⁶ per second. */
	static const struct {
		double scale, value;
		const char *unit;
	} cases[] = {
		{ 0, 0, "/sec" },	  { 1e-6, 1, "/sec" },
		{ 1e-3, 1000, "/sec" }, /* 1000 is not greater than 1000 */
		{ 1.5e-3, 1.5, "K/sec" }, { 1.5, 1.5, "M/sec" },
		{ 1500, 1.5, "G/sec" },	  { 1.5e9, 1.5e6, "G/sec" },
	};
	uint64_t counts[8] = { 1000, 1, 1, 1, 1, 1, 1, 1 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__clock(&f);
	for (int i = 0; i < 7; i++)
		fixture__event(&f, "e", PERF_TYPE_TRACEPOINT, (uint64_t)i)->scale = cases[i].scale;
	run(&f, counts);
	for (int i = 0; i < 7; i++)
		expect_metric(&f, i + 1, 0, cases[i].value, cases[i].unit);
	fixture__free(&f);
}

static void a_clock_shows_the_cpus_in_use_and_the_frequency(void **state)
{
	static const uint64_t counts[] = { 1500000000, 4500000000 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__clock(&f);
	fixture__event(&f, "cycles", CYCLES);
	run(&f, counts);
	expect_metric(&f, 0, 0, 1.5, "CPUs utilized");
	expect_metric(&f, 1, 0, 3.0, "GHz");
	fixture__free(&f);
}

static void modifiers_of_both_events_must_be_the_same(void **state)
{
	static const uint64_t counts[] = { 1000, 300, 800 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", CYCLES);
	fixture__event(&f, "instructions:u", INSTRUCTIONS)->attr.attr.exclude_kernel = 1;
	fixture__event(&f, "cycles:u", CYCLES)->attr.attr.exclude_kernel = 1;
	run(&f, counts);
	expect_metric(&f, 1, 0, 300.0 / 800, "insn per cycle");
	fixture__free(&f);
}

/*
 * :G and :H differ in exclude_host. exclude_guest, which a command sets by itself, does not make a
 * different event.
 */
static void exclude_guest_does_not_matter(void **state)
{
	static const uint64_t counts[] = { 1000, 300, 100 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles:G", CYCLES)->attr.attr.exclude_host = 1;
	fixture__event(&f, "instructions", INSTRUCTIONS)->attr.attr.exclude_guest = 1;
	fixture__event(&f, "cycles", CYCLES);
	run(&f, counts);
	expect_metric(&f, 1, 0, 3, "insn per cycle");
	fixture__free(&f);
}

static void a_metric_in_a_group_uses_only_events_of_the_group(void **state)
{
	static const uint64_t counts[] = { 1000, 300, 100, 50 };
	struct evsel *first, *second;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", CYCLES);
	first = fixture__event(&f, "instructions", INSTRUCTIONS);
	second = fixture__event(&f, "branches", BRANCHES);
	first->nr_members = 2;
	second->leader = first;
	second->nr_members = 0;
	fixture__event(&f, "branch-misses", BRANCH_MISSES);
	run(&f, counts);
	expect_no_value(&f, 1, "insn per cycle");
	/* this event is in no group, so all events are searched */
	expect_metric(&f, 3, 0, 50, "of all branches");
	fixture__free(&f);
}

static void events_of_different_core_pmus_are_not_combined(void **state)
{
	static const uint64_t counts[] = { 1000, 500, 200 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", HW, PERF_COUNT_HW_CPU_CYCLES | 4ULL << 32);
	fixture__event(&f, "cycles", HW, PERF_COUNT_HW_CPU_CYCLES | 10ULL << 32);
	fixture__event(&f, "instructions", HW, PERF_COUNT_HW_INSTRUCTIONS | 10ULL << 32);
	run(&f, counts);
	expect_metric(&f, 2, 0, 0.4, "insn per cycle");
	fixture__free(&f);
}

static void events_of_different_cgroups_are_not_combined(void **state)
{
	static const char *const cgroups[] = { "a", "b", "a", "b", NULL };
	static const uint64_t counts[] = { 1000, 2000, 100, 100, 100 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", CYCLES);
	fixture__event(&f, "cycles", CYCLES);
	for (int i = 0; i < 3; i++)
		fixture__event(&f, "instructions", INSTRUCTIONS);
	fixture__in_cgroups(&f, cgroups);
	run(&f, counts);
	expect_metric(&f, 2, 0, 0.1, "insn per cycle");
	expect_metric(&f, 3, 0, 0.05, "insn per cycle");
	expect_no_value(&f, 4, "insn per cycle");
	fixture__free(&f);
}

static void an_uncounted_denominator_gives_no_value(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "instructions", INSTRUCTIONS);
	fixture__event(&f, "cycles", CYCLES);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1000, 1000);
	counts__set_unsupported(f.events[1], -ENOENT, NULL);
	fixture__add_run(&f, 1e9);
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	expect_no_value(&f, 0, "insn per cycle");
	assert_int_equal(f.rows.rows[1].nr_metrics, 0);
	fixture__free(&f);
}

/* The program ran on CPU 1 only. A metric with a value comes first. */
static void the_number_of_runs_is_that_of_the_aggregate(void **state)
{
	struct evsel *run_cnt;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__event(&f, "instructions", INSTRUCTIONS);
	fixture__event(&f, "cycles", CYCLES);
	run_cnt = fixture__event(&f, "run_cnt", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	run_cnt->tool = TOOL_RUN_CNT;
	fixture__ready(&f, AGGR_NONE);
	f.run_cnt = counts__new(run_cnt, f.cpus, 1);
	for (int event = 0; event < 3; event++)
		for (int cpu = 0; cpu < 2; cpu++)
			fixture__set(&f, event, cpu, 0, 800 >> event, 1000, 1000);
	counts__set(f.run_cnt, 1, 0, &(struct reading){ 16, 1000, 1000 });
	fixture__add_run(&f, 1e9);
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	assert_int_equal(f.rows.nr, 6);
	expect_metric(&f, 1, 0, 2.0, "insn per cycle");
	expect_no_value(&f, 2, "GHz");
	expect_metric(&f, 3, 0, 25.0, "per run");
	assert_int_equal(f.rows.rows[3].nr_metrics, 1);
	assert_int_equal(f.rows.rows[5].nr_metrics, 0);
	fixture__free(&f);
}

/*
 * The clock counts the time inside the program, so a rate per second of this clock would be
 * misleading.
 */
static void counts_of_a_program_are_shown_per_run_and_not_per_second(void **state)
{
	struct evsel *run_cnt;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	fixture__event(&f, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	fixture__event(&f, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	run_cnt = fixture__event(&f, "run_cnt", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	run_cnt->tool = TOOL_RUN_CNT;
	fixture__ready(&f, AGGR_GLOBAL);
	f.run_cnt = counts__new(run_cnt, f.cpus, 1);
	for (int event = 0; event < 3; event++)
		fixture__count(&f, event, 800, 1000);
	counts__set(f.run_cnt, 0, 0, &(struct reading){ 16, 1000, 1000 });
	fixture__add_run(&f, 1e9);
	assert_int_equal(report__rows(f.report, &f.rows), 0);
	expect_metric(&f, 0, 1, 0.05, "usec per run");
	assert_true(f.rows.rows[0].metrics[1].only_text);
	expect_metric(&f, 1, 0, 50.0, "per run");
	assert_int_equal(f.rows.rows[2].nr_metrics, 0);
	fixture__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_miss_is_a_share_of_its_accesses),
		cmocka_unit_test(shares_of_generic_events_have_their_own_words),
		cmocka_unit_test(a_ratio_has_one_threshold),
		cmocka_unit_test(instructions_show_the_worse_of_two_stalls),
		cmocka_unit_test(rates_change_their_unit_above_a_thousand),
		cmocka_unit_test(a_clock_shows_the_cpus_in_use_and_the_frequency),
		cmocka_unit_test(modifiers_of_both_events_must_be_the_same),
		cmocka_unit_test(exclude_guest_does_not_matter),
		cmocka_unit_test(a_metric_in_a_group_uses_only_events_of_the_group),
		cmocka_unit_test(events_of_different_core_pmus_are_not_combined),
		cmocka_unit_test(events_of_different_cgroups_are_not_combined),
		cmocka_unit_test(an_uncounted_denominator_gives_no_value),
		cmocka_unit_test(the_number_of_runs_is_that_of_the_aggregate),
		cmocka_unit_test(counts_of_a_program_are_shown_per_run_and_not_per_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
