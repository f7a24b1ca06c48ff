// SPDX-License-Identifier: GPL-2.0-only
/* Rows of the text format: values, units, names, and metrics in their columns. */
#include "tests/unit/stat-fixture.h"
#include "tests/unit/use-locale.h"

/* Compares only the rows. */
static void expect_rows(struct fixture *f, struct output_config config, const char *text)
{
	config.format = &output_std;
	fixture__expect(f, config, NULL, NULL, text);
}

static void a_multiplexed_count_is_followed_by_its_share_of_the_time(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__event(&f, "starved", PERF_TYPE_RAW, 1);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 1000, 3000, 1000);
	fixture__set(&f, 1, 0, 0, 0, 3000, 0);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "              3000      cycles                                                "
		    "                  "
		    "(33.33%)\n"
		    "     <not counted>      starved                                               "
		    "                  "
		    "(0.00%)\n");
	fixture__free(&f);
}

static void hardware_metrics_are_in_their_column(void **state)
{
	static const struct {
		const char *name;
		uint64_t config, count;
	} events[] = {
		{ "cycles", PERF_COUNT_HW_CPU_CYCLES, 3000000 },
		{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, 4500000 },
		{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 400000 },
		{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1600000 },
		{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 800000 },
		{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 9000 },
	};
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__clock(&f);
	for (size_t i = 0; i < 6; i++)
		fixture__event(&f, events[i].name, PERF_TYPE_HARDWARE, events[i].config);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, MSEC, MSEC);
	for (int i = 0; i < 6; i++)
		fixture__count(&f, i + 1, events[i].count, MSEC);
	fixture__add_run(&f, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "              1.00 msec task-clock                       #    0.500 CPUs "
		    "utilized             \n"
		    "           3000000      cycles                           #    3.000 GHz       "
		    "                \n"
		    "           4500000      instructions                     #    1.50  insn per "
		    "cycle            \n"
		    "                                                  #    0.36  stalled cycles "
		    "per insn   \n"
		    "            400000      stalled-cycles-frontend          #   13.33% frontend "
		    "cycles idle      \n"
		    "           1600000      stalled-cycles-backend           #   53.33% backend "
		    "cycles idle       \n"
		    "            800000      branches                         #  800.000 M/sec     "
		    "                \n"
		    "              9000      branch-misses                    #    1.12% of all "
		    "branches           \n");
	fixture__free(&f);
}

static void a_second_metric_is_aligned_with_the_first_of_a_cpu(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "3");
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__event(&f, "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		       PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	fixture__ready(&f, AGGR_NONE);
	fixture__count(&f, 0, 1000, MSEC);
	fixture__count(&f, 1, 500, MSEC);
	fixture__add_run(&f, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "CPU3                 1000      instructions                                   "
		    "                    "
		    "   \n"
		    "CPU3                                                             #    0.50  "
		    "stalled cycles per "
		    "insn   \n"
		    "CPU3                  500      stalled-cycles-backend                         "
		    "                    "
		    "   \n");
	fixture__free(&f);
}

static void without_the_other_event_the_metric_column_is_empty(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1000, MSEC);
	fixture__add_run(&f, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "              1000      instructions                                          "
		    "                \n");
	fixture__free(&f);
}

static void notable_shares_are_printed_in_colour_on_request(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	fixture__event(&f, "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 100, MSEC);
	fixture__count(&f, 1, 21, MSEC);
	fixture__add_run(&f, 2e6);
	expect_rows(&f, (struct output_config){ .color = true },
		    "               100      branches                                              "
		    "                \n"
		    "                21      branch-misses                    # \033[31m  "
		    "21.00%\033[m of all branches "
		    "          \n");
	fixture__free(&f);
}

static void cgroups_have_a_column(void **state)
{
	static const char *const cgroups[] = { "pA", "p\tB", NULL };
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	fixture__clock(&f);
	fixture__clock(&f);
	fixture__clock(&f);
	fixture__in_cgroups(&f, cgroups);
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 3; i++)
		fixture__count(&f, i, 1092220000, 1092220000);
	fixture__add_run(&f, 1008500000);
	expect_rows(&f, (struct output_config){ .cgroups = true },
		    "           1092.22 msec task-clock                       pA               #   "
		    " 1.083 CPUs "
		    "utilized             \n"
		    "           1092.22 msec task-clock                       p?B              #   "
		    " 1.083 CPUs "
		    "utilized             \n"
		    "           1092.22 msec task-clock                                        #   "
		    " 1.083 CPUs "
		    "utilized             \n");
	fixture__free(&f);
}

static void threads_are_named_by_comm_and_tid(void **state)
{
	static const struct fixture_thread threads[] = {
		{ 15, "rcu_preempt" },
		{ 12, "kworker/u8:0-ext4-rsv-conversion" },
		{ 7, "a\033b" },
		{ 8, "idle" },
	};
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	f.config.system_wide = true;
	fixture__threads(&f, threads, 4);
	fixture__ready(&f, AGGR_THREAD);
	for (int i = 0; i < 3; i++)
		fixture__set(&f, 0, 0, i, 4, 1000, 1000);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "     rcu_preempt-15                       4      cs                           "
		    "                    "
		    "                     \n"
		    "kworker/u8:0-ext4-rsv-conversion-12                       4      cs           "
		    "                    "
		    "                                     \n"
		    "             a?b-7                        4      cs                           "
		    "                    "
		    "                     \n");
	fixture__free(&f);
}

static void figures_have_commas(void)
{
	struct fixture f;

	fixture__init(&f, "0");
	fixture__event(&f, "msr/tsc/", 9, 0);
	fixture__clock(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 529339044, 203900000);
	fixture__count(&f, 1, 203900000, 203900000);
	fixture__add_run(&f, 101952405);
	expect_rows(&f, (struct output_config){ .big_num = true },
		    "       529.339.044      msr/tsc/                         #    2,596 G/sec     "
		    "            "
		    "    \n"
		    "            203,90 msec task-clock                       #    2,000 CPUs "
		    "utilized         "
		    "    \n");
	expect_rows(&f, (struct output_config){ 0 },
		    "         529339044      msr/tsc/                         #    2,596 G/sec     "
		    "            "
		    "    \n"
		    "            203,90 msec task-clock                       #    2,000 CPUs "
		    "utilized         "
		    "    \n");
	fixture__free(&f);
}

static void figures_follow_the_locale(void **state)
{
	(void)state;
	in_german(figures_have_commas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_multiplexed_count_is_followed_by_its_share_of_the_time),
		cmocka_unit_test(hardware_metrics_are_in_their_column),
		cmocka_unit_test(a_second_metric_is_aligned_with_the_first_of_a_cpu),
		cmocka_unit_test(without_the_other_event_the_metric_column_is_empty),
		cmocka_unit_test(notable_shares_are_printed_in_colour_on_request),
		cmocka_unit_test(cgroups_have_a_column),
		cmocka_unit_test(threads_are_named_by_comm_and_tid),
		cmocka_unit_test(figures_follow_the_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
