// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "util/count/counts.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

static const struct evsel counter = { .name = (char *)"counter" };
static const struct evsel gauge = { .name = (char *)"gauge", .snapshot = true };

/* CPUs whose IDs differ from their indexes. */
static struct cpumap *cpus;

static int make_cpus(void **state)
{
	(void)state;
	return cpumap__parse("1,4,9", &cpus);
}

static int free_cpus(void **state)
{
	(void)state;
	cpumap__free(cpus);
	return 0;
}

static void is(struct reading got, uint64_t value, uint64_t enabled, uint64_t running)
{
	assert_true(got.value == value);
	assert_true(got.enabled == enabled);
	assert_true(got.running == running);
}

static void a_new_table_is_all_zero(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 2);

	(void)state;
	assert_int_equal(counts->open_err, 0);
	assert_null(counts->why_not);
	for (int cpu = 0; cpu < 3; cpu++) {
		for (int thread = 0; thread < 2; thread++) {
			is(counts__total(counts, cpu, thread), 0, 0, 0);
			is(counts__delta(counts, cpu, thread), 0, 0, 0);
		}
	}
	counts__free(counts);
}

static void each_cpu_and_thread_has_its_own_place(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 2);

	(void)state;
	for (int cpu = 0; cpu < 3; cpu++)
		for (int thread = 0; thread < 2; thread++)
			counts__set(counts, cpu, thread,
				    &(struct reading){ (uint64_t)(cpu * 10 + thread),
						       100 + (uint64_t)cpu, 50 });
	for (int cpu = 0; cpu < 3; cpu++)
		for (int thread = 0; thread < 2; thread++)
			is(counts__total(counts, cpu, thread), (uint64_t)(cpu * 10 + thread),
			   100 + (uint64_t)cpu, 50);
	counts__free(counts);
}

static void differences_are_since_the_mark_and_totals_are_not(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 1);

	(void)state;
	counts__set(counts, 1, 0, &(struct reading){ 1000, 300, 200 });
	is(counts__delta(counts, 1, 0), 1000, 300, 200);
	counts__mark(counts);
	is(counts__delta(counts, 1, 0), 0, 0, 0);
	counts__set(counts, 1, 0, &(struct reading){ 1500, 400, 210 });
	is(counts__delta(counts, 1, 0), 500, 100, 10);
	is(counts__total(counts, 1, 0), 1500, 400, 210);
	is(counts__delta(counts, 0, 0), 0, 0, 0);
	counts__free(counts);
}

static void a_total_that_would_decrease_stays_and_its_interval_is_zero(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 1);

	(void)state;
	counts__set_rising(counts, 1, 0, &(struct reading){ 1000, 300, 200 });
	counts__mark(counts);
	counts__set_rising(counts, 1, 0, &(struct reading){ 900, 400, 210 });
	is(counts__delta(counts, 1, 0), 0, 100, 10);
	is(counts__total(counts, 1, 0), 1000, 400, 210);
	counts__mark(counts);
	counts__set_rising(counts, 1, 0, &(struct reading){ 1050, 500, 220 });
	is(counts__delta(counts, 1, 0), 50, 100, 10);
	counts__free(counts);
}

static void intervals_add_up_to_the_total(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 1);
	uint64_t sum = 0, total = 0;

	(void)state;
	for (uint64_t step = 1; step < 100; step++) {
		total += step * step;
		counts__set(counts, 2, 0, &(struct reading){ total, step, step });
		sum += counts__delta(counts, 2, 0).value;
		counts__mark(counts);
	}
	assert_true(sum == total);
	assert_true(counts__total(counts, 2, 0).value == total);
	counts__free(counts);
}

static void a_counter_that_wraps_around_has_the_right_difference(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 1);

	(void)state;
	counts__set(counts, 0, 0, &(struct reading){ UINT64_MAX - 9, 1, 1 });
	counts__mark(counts);
	counts__set(counts, 0, 0, &(struct reading){ 5, 2, 2 });
	is(counts__delta(counts, 0, 0), 15, 1, 1);
	counts__free(counts);
}

/*
 * If the temperature was 50 and is now 40, the value is 40. The enabled time is still a difference.
 */
static void values_that_are_not_counts_have_no_differences(void **state)
{
	struct counts *counts = counts__new(&gauge, cpus, 1);

	(void)state;
	counts__set(counts, 0, 0, &(struct reading){ 50, 100, 100 });
	counts__mark(counts);
	counts__set(counts, 0, 0, &(struct reading){ 40, 250, 240 });
	is(counts__delta(counts, 0, 0), 40, 150, 140);
	counts__free(counts);
}

static void the_reason_why_an_event_is_not_supported_is_kept(void **state)
{
	struct counts *counts = counts__new(&counter, cpus, 1);
	char why[] = "no PMU";

	(void)state;
	counts__set_unsupported(counts, -ENOENT, why);
	memset(why, 'x', sizeof(why) - 1);
	assert_int_equal(counts->open_err, -ENOENT);
	assert_string_equal(counts->why_not, "no PMU");
	counts__set_unsupported(counts, -EINVAL, NULL);
	assert_int_equal(counts->open_err, -EINVAL);
	assert_null(counts->why_not);
	counts__free(counts);
}

static void an_empty_set_is_not_an_error(void **state)
{
	struct cpumap *none = cpumap__copy(cpus);
	struct counts *counts;

	(void)state;
	none->nr = 0;
	counts = counts__new(&counter, none, 1);
	assert_non_null(counts);
	counts__mark(counts);
	counts__free(counts);
	counts__free(NULL);
	cpumap__free(none);
}

static void an_event_with_its_own_cpus_has_rows_only_for_these(void **state)
{
	struct cpumap *all, *own, *other;
	struct counts *counts;

	(void)state;
	assert_int_equal(cpumap__parse("0-7", &all), 0);
	assert_int_equal(cpumap__parse("2,5,9", &own), 0);
	assert_int_equal(cpumap__parse("8", &other), 0);
	counts = counts__new_on(&counter, all, own, 2);
	assert_int_equal(counts->cpus->nr, 2);
	assert_int_equal(counts->cpus->ids[0], 2);
	assert_int_equal(counts->cpus->ids[1], 5);
	for (int cpu = 0; cpu < all->nr; cpu++) {
		assert_int_equal(counts__is_on(counts, cpu), cpu == 2 || cpu == 5);
		counts__set(counts, cpu, 1, &(struct reading){ 10 + (uint64_t)cpu, 1, 1 });
		counts__set_rising(counts, cpu, 0, &(struct reading){ 20 + (uint64_t)cpu, 1, 1 });
	}
	is(counts__total(counts, 0, 1), 12, 1, 1);
	is(counts__total(counts, 1, 1), 15, 1, 1);
	is(counts__total(counts, 1, 0), 25, 1, 1);
	counts__set_row(counts, 1, 0, &(struct reading){ 7, 8, 9 });
	is(counts__total(counts, 1, 0), 7, 8, 9);
	assert_int_equal(counts__widen(counts, 3), 0);
	is(counts__total(counts, 1, 1), 15, 1, 1);
	counts__free(counts);

	counts = counts__new_on(&counter, all, other, 1);
	assert_int_equal(counts->cpus->nr, 0);
	counts__set(counts, 3, 0, &(struct reading){ 1, 1, 1 });
	counts__free(counts);

	counts = counts__new_on(&counter, own, own, 1);
	assert_ptr_equal(counts->cpus, own);
	counts__free(counts);
	cpumap__free(all);
	cpumap__free(own);
	cpumap__free(other);
}

/*
 * A task has one row, wherever it runs. The kernel decides whether the event can be counted for it.
 */
static void the_row_of_a_task_stays_whatever_cpus_the_event_has(void **state)
{
	struct cpumap *any = cpumap__any(), *own;
	struct counts *counts;

	(void)state;
	assert_int_equal(cpumap__parse("0", &own), 0);
	counts = counts__new_on(&counter, any, own, 1);
	assert_ptr_equal(counts->cpus, any);
	assert_true(counts__is_on(counts, -1));
	counts__free(counts);
	cpumap__free(any);
	cpumap__free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_table_is_all_zero),
		cmocka_unit_test(each_cpu_and_thread_has_its_own_place),
		cmocka_unit_test(differences_are_since_the_mark_and_totals_are_not),
		cmocka_unit_test(a_total_that_would_decrease_stays_and_its_interval_is_zero),
		cmocka_unit_test(intervals_add_up_to_the_total),
		cmocka_unit_test(a_counter_that_wraps_around_has_the_right_difference),
		cmocka_unit_test(values_that_are_not_counts_have_no_differences),
		cmocka_unit_test(the_reason_why_an_event_is_not_supported_is_kept),
		cmocka_unit_test(an_empty_set_is_not_an_error),
		cmocka_unit_test(an_event_with_its_own_cpus_has_rows_only_for_these),
		cmocka_unit_test(the_row_of_a_task_stays_whatever_cpus_the_event_has),
	};

	return cmocka_run_group_tests(tests, make_cpus, free_cpus);
}
