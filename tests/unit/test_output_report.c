// SPDX-License-Identifier: GPL-2.0-only
/* A whole text report: heading, rows, footer. */
#include "tests/unit/stat-fixture.h"

#include <errno.h>

static const char *const command_true[] = { "true", NULL };

/* Compares the text report of all runs so far, including @foot, with @text. */
static void expect_report(struct fixture *f, struct output_config config,
			  const struct output_head *head, const struct output_foot *foot,
			  const char *text)
{
	config.format = &output_std;
	fixture__expect(f, config, head, foot, text);
}

static void a_command_has_head_rows_and_its_own_times(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 0.001422707, .has_rusage = true, .user = 0.001204 };
	struct fixture f;

	(void)state;
	fixture__task(&f, 1, 499480, 50);
	fixture__add_run(&f, 1422707);
	expect_report(&f, (struct output_config){ .big_num = true }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true':\n"
		      "\n"
		      "                 1      cs                               #    2.002 K/sec   "
		      "                  \n"
		      "              0.50 msec task-clock                       #    0.351 CPUs "
		      "utilized             \n"
		      "                50      page-faults                      #  100.104 K/sec   "
		      "                  \n"
		      "\n"
		      "       0.001422707 seconds time elapsed\n"
		      "\n"
		      "       0.001204000 seconds user\n"
		      "       0.000000000 seconds sys\n"
		      "\n"
		      "\n");
	fixture__free(&f);
}

static void a_series_shows_its_repetitions_and_their_number(void **state)
{
	static const double runs[] = { 0.0010025, 0.0010024, 0.000747 };
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true, .runs_done = 3 };
	struct output_foot foot = {
		.elapsed = 0.00091730, .deviation = 0.0000851, .runs = runs, .nr_runs = 3
	};
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1, 499480);
	fixture__add_run(&f, 1422707);
	expect_report(&f, (struct output_config){ .runs = 5 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (3 of 5 runs):\n"
		      "\n"
		      "                 1      cs                                                  "
		      "                  \n"
		      "\n"
		      "         # Table of individual measurements:\n"
		      "         0.0010025 (+0.0000852) ##\n"
		      "         0.0010024 (+0.0000851) ##\n"
		      "         0.0007470 (-0.0001703) #####\n"
		      "\n"
		      "         # Final result:\n"
		      "         0.0009173 +- 0.0000851 seconds time elapsed  ( +-  9.28% )\n"
		      "\n");
	fixture__free(&f);
}

static void uncounted_and_unsupported_events_are_marked(void **state)
{
	struct output_head head = { .kind = TARGET_PROCESS, .text = "15320" };
	struct output_foot foot = { .elapsed = 0.201485030 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__ready(&f, AGGR_GLOBAL);
	counts__set_unsupported(f.events[2], -ENOENT, NULL);
	fixture__add_run(&f, 201485030);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for process id '15320':\n"
		      "\n"
		      "     <not counted>      cs                                                  "
		      "                  \n"
		      "     <not counted> msec task-clock                                          "
		      "                  \n"
		      "   <not supported>      cycles                                              "
		      "                  \n"
		      "\n"
		      "       0.201485030 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void each_cpu_has_its_row_and_events_name_their_pmu(void **state)
{
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output_foot foot = { .elapsed = 0.204547438 };
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__faults(&f);
	fixture__ready(&f, AGGR_NONE);
	fixture__set(&f, 0, 0, 0, 46156, 204561000, 204561000);
	fixture__set(&f, 0, 1, 0, 45, 204561750, 204561750);
	fixture__set(&f, 1, 0, 0, 204561000, 204561000, 204561000);
	fixture__set(&f, 1, 1, 0, 204561750, 204561750, 204561750);
	fixture__set(&f, 2, 0, 0, 870, 204561000, 204561000);
	fixture__set(&f, 2, 1, 0, 82, 204561750, 204561750);
	fixture__add_run(&f, 204547438);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'system wide':\n"
		      "\n"
		      "CPU0                46156      cs [software]                    #  225.634 "
		      "K/sec                "
		      "     \n"
		      "CPU1                   45      cs [software]                    #  219.982 "
		      "/sec                 "
		      "     \n"
		      "CPU0               204.56 msec task-clock [software]            #    1.000 "
		      "CPUs utilized        "
		      "     \n"
		      "CPU1               204.56 msec task-clock [software]            #    1.000 "
		      "CPUs utilized        "
		      "     \n"
		      "CPU0                  870      page-faults [software]           #    4.253 "
		      "K/sec                "
		      "     \n"
		      "CPU1                   82      page-faults [software]           #  400.857 "
		      "/sec                 "
		      "     \n"
		      "\n"
		      "       0.204547438 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void several_runs_show_mean_and_noise(void **state)
{
	static const uint64_t runs[3][4] = {
		/* cs, clock, faults, wall */
		{ 0, 460000, 49, 930000 },
		{ 1, 470000, 50, 946000 },
		{ 0, 490000, 49, 968000 },
	};
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct fixture f;
	struct output_foot foot;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__faults(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 3; i++) {
		for (int event = 0; event < 3; event++)
			fixture__count(&f, event, runs[i][event], runs[i][1]);
		fixture__add_run(&f, (double)runs[i][3]);
	}
	foot = (struct output_foot){
		.elapsed = report__elapsed(f.report)->mean / 1e9,
		.deviation = stats__deviation(report__elapsed(f.report)) / 1e9,
	};
	expect_report(&f, (struct output_config){ .runs = 3 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (3 runs):\n"
		      "\n"
		      "                 0      cs                               #    0.000 /sec    "
		      "                  \n"
		      "              0.47 msec task-clock                       #    0.499 CPUs "
		      "utilized               "
		      "( +-  1.86% )\n"
		      "                49      page-faults                      #  103.521 K/sec   "
		      "                    "
		      "( +-  0.68% )\n"
		      "\n"
		      "         0.0009480 +- 0.0000110 seconds time elapsed  ( +-  1.16% )\n"
		      "\n");
	fixture__free(&f);
}

static void equal_repetitions_keep_all_decimals(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 1.5 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 7, 1000);
	fixture__add_run(&f, 1.5e9);
	fixture__add_run(&f, 1.5e9);
	expect_report(&f, (struct output_config){ .runs = 2 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (2 runs):\n"
		      "\n"
		      "                 7      cs                                                  "
		      "                  \n"
		      "\n"
		      "       1.500000000 +- 0.000000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void a_report_without_counts_has_no_gap(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 0.5 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__add_run(&f, 5e8);
	expect_report(&f, (struct output_config){ .null_run = true }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true':\n"
		      "\n"
		      "       0.500000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void runs_of_a_program_give_a_count_per_run(void **state)
{
	struct output_head head = { .kind = TARGET_BPF_PROG, .text = "57,58" };
	struct output_foot foot = { .elapsed = 1.0 };
	struct evsel *run_cnt;
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	run_cnt = fixture__event(&f, "run_cnt", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	run_cnt->tool = TOOL_RUN_CNT;
	fixture__ready(&f, AGGR_GLOBAL);
	f.run_cnt = counts__new(run_cnt, f.cpus, 1);
	for (int cpu = 0; cpu < 2; cpu++) {
		fixture__set(&f, 0, cpu, 0, 12345, 5000, 5000);
		fixture__set(&f, 1, cpu, 0, 10, 5000, 5000);
		counts__set(f.run_cnt, cpu, 0, &(struct reading){ 10, 5000, 5000 });
	}
	fixture__add_run(&f, 1e9);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'BPF program(s) 57,58':\n"
		      "\n"
		      "             24690      cycles                           # 1234.500 per run "
		      "                  \n"
		      "                20      run_cnt                                             "
		      "                  \n"
		      "\n"
		      "       1.000000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void the_heading_names_every_kind_of_target(void **state)
{
	static const char *const argv[] = { "sh", "-c", "exit\n3\033[2J", NULL };
	static const struct {
		struct output_head head;
		const char *text;
	} cases[] = {
		{ { .kind = TARGET_COMMAND, .argv = argv },
		  "\n Performance counter stats for 'sh -c exit?3?[2J':\n\n" },
		{ { .kind = TARGET_PROCESS, .text = "1,2" },
		  "\n Performance counter stats for process id '1,2':\n\n" },
		{ { .kind = TARGET_THREAD, .text = "3" },
		  "\n Performance counter stats for thread id '3':\n\n" },
		{ { .kind = TARGET_SYSTEM },
		  "\n Performance counter stats for 'system wide':\n\n" },
		{ { .kind = TARGET_CPUS, .text = "0-1" },
		  "\n Performance counter stats for 'CPU(s) 0-1':\n\n" },
		{ { .kind = TARGET_BPF_PROG, .text = "7" },
		  "\n Performance counter stats for 'BPF program(s) 7':\n\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sink sink;

		sink__open(&sink, (struct output_config){ .format = &output_std });
		assert_int_equal(output__begin(sink.output, &cases[i].head), 0);
		sink__expect(&sink, cases[i].text);
	}
}

static void a_line_that_was_begun_by_the_caller_comes_first(void **state)
{
	struct sink sink;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	sink__open(&sink, (struct output_config){ .format = &output_std, .started = 1795246329 });
	sink__expect(&sink, "# started on Sat Nov 21 07:32:09 2026\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_has_head_rows_and_its_own_times),
		cmocka_unit_test(a_series_shows_its_repetitions_and_their_number),
		cmocka_unit_test(uncounted_and_unsupported_events_are_marked),
		cmocka_unit_test(each_cpu_has_its_row_and_events_name_their_pmu),
		cmocka_unit_test(several_runs_show_mean_and_noise),
		cmocka_unit_test(equal_repetitions_keep_all_decimals),
		cmocka_unit_test(a_report_without_counts_has_no_gap),
		cmocka_unit_test(runs_of_a_program_give_a_count_per_run),
		cmocka_unit_test(the_heading_names_every_kind_of_target),
		cmocka_unit_test(a_line_that_was_begun_by_the_caller_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
