// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "tests/unit/use-locale.h"

static const char *const command_true[] = { "true", NULL };

/* A report of one run in the std form, @foot included, against @text. */
static void expect_report(struct fixture *f, struct output_config config, const struct output_head *head,
			  const struct output_foot *foot, const char *text)
{
	struct sink sink;

	config.format = &output_std;
	config.aggr_mode = f->config.aggr->mode;
	assert_int_equal(report__rows(f->report, &f->rows), 0);
	sink__open(&sink, config);
	assert_int_equal(output__begin(sink.output, head), 0);
	assert_int_equal(output__rows(sink.output, &f->rows), 0);
	assert_int_equal(output__end(sink.output, foot), 0);
	sink__expect(&sink, text);
}

/* The rows alone. */
static void expect_rows(struct fixture *f, struct output_config config, const char *text)
{
	struct sink sink;

	config.format = &output_std;
	config.aggr_mode = f->config.aggr->mode;
	assert_int_equal(report__rows(f->report, &f->rows), 0);
	sink__open(&sink, config);
	assert_int_equal(output__rows(sink.output, &f->rows), 0);
	sink__expect(&sink, text);
}

static void a_command_has_head_rows_and_its_own_times(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 0.001422707, .has_rusage = true, .user = 0.001204 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__faults(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1, 499480);
	fixture__count(&f, 1, 499480, 499480);
	fixture__count(&f, 2, 50, 499480);
	report__add_run(f.report, &f.set, 1422707);
	expect_report(&f, (struct output_config){ .big_num = true }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true':\n"
		      "\n"
		      "                 1      cs                               #    2.002 K/sec                     \n"
		      "              0.50 msec task-clock                       #    0.351 CPUs utilized             \n"
		      "                50      page-faults                      #  100.104 K/sec                     \n"
		      "\n"
		      "       0.001422707 seconds time elapsed\n"
		      "\n"
		      "       0.001204000 seconds user\n"
		      "       0.000000000 seconds sys\n"
		      "\n"
		      "\n");
	fixture__free(&f);
}

static void a_series_shows_its_runs_and_how_many_there_were(void **state)
{
	static const double runs[] = { 0.0010025, 0.0010024, 0.000747 };
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true, .runs_done = 3 };
	struct output_foot foot = { .elapsed = 0.00091730, .deviation = 0.0000851, .runs = runs, .nr_runs = 3 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1, 499480);
	report__add_run(f.report, &f.set, 1422707);
	expect_report(&f, (struct output_config){ .runs = 5 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (3 of 5 runs):\n"
		      "\n"
		      "                 1      cs                                                                    \n"
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

static void what_was_not_counted_or_not_supported_says_so(void **state)
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
	counts__set_unsupported(f.set.events[2], -ENOENT, NULL);
	report__add_run(f.report, &f.set, 201485030);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for process id '15320':\n"
		      "\n"
		      "     <not counted>      cs                                                                    \n"
		      "     <not counted> msec task-clock                                                            \n"
		      "   <not supported>      cycles                                                                \n"
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
	report__add_run(f.report, &f.set, 204547438);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'system wide':\n"
		      "\n"
		      "CPU0                46156      cs [software]                    #  225.634 K/sec                "
		      "     \n"
		      "CPU1                   45      cs [software]                    #  219.982 /sec                 "
		      "     \n"
		      "CPU0               204.56 msec task-clock [software]            #    1.000 CPUs utilized        "
		      "     \n"
		      "CPU1               204.56 msec task-clock [software]            #    1.000 CPUs utilized        "
		      "     \n"
		      "CPU0                  870      page-faults [software]           #    4.253 K/sec                "
		      "     \n"
		      "CPU1                   82      page-faults [software]           #  400.857 /sec                 "
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
		report__add_run(f.report, &f.set, (double)runs[i][3]);
	}
	foot = (struct output_foot){
		.elapsed = report__elapsed(f.report)->mean / 1e9,
		.deviation = stats__deviation(report__elapsed(f.report)) / 1e9,
	};
	expect_report(&f, (struct output_config){ .runs = 3 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (3 runs):\n"
		      "\n"
		      "                 0      cs                               #    0.000 /sec                      \n"
		      "              0.47 msec task-clock                       #    0.499 CPUs utilized               "
		      "( +-  1.86% )\n"
		      "                49      page-faults                      #  103.521 K/sec                       "
		      "( +-  0.68% )\n"
		      "\n"
		      "         0.0009480 +- 0.0000110 seconds time elapsed  ( +-  1.16% )\n"
		      "\n");
	fixture__free(&f);
}

static void runs_that_do_not_differ_keep_all_places(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 1.5 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 7, 1000);
	report__add_run(f.report, &f.set, 1.5e9);
	report__add_run(f.report, &f.set, 1.5e9);
	expect_report(&f, (struct output_config){ .runs = 2 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true' (2 runs):\n"
		      "\n"
		      "                 7      cs                                                                    \n"
		      "\n"
		      "       1.500000000 +- 0.000000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void nothing_counted_leaves_no_gap(void **state)
{
	struct output_head head = { .kind = TARGET_COMMAND, .argv = command_true };
	struct output_foot foot = { .elapsed = 0.5 };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__ready(&f, AGGR_GLOBAL);
	report__add_run(f.report, &f.set, 5e8);
	expect_report(&f, (struct output_config){ .null_run = true }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'true':\n"
		      "\n"
		      "       0.500000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void the_share_of_time_stands_behind_what_ran_for_a_part(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__event(&f, "starved", PERF_TYPE_RAW, 1);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 1000, 3000, 1000);
	fixture__set(&f, 1, 0, 0, 0, 3000, 0);
	report__add_run(f.report, &f.set, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "              3000      cycles                                                                  "
		    "(33.33%)\n"
		    "     <not counted>      starved                                                                 "
		    "(0.00%)\n");
	fixture__free(&f);
}

static void hardware_metrics_stand_in_their_column(void **state)
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
	report__add_run(f.report, &f.set, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "              1.00 msec task-clock                       #    0.500 CPUs utilized             \n"
		    "           3000000      cycles                           #    3.000 GHz                       \n"
		    "           4500000      instructions                     #    1.50  insn per cycle            \n"
		    "                                                  #    0.36  stalled cycles per insn   \n"
		    "            400000      stalled-cycles-frontend          #   13.33% frontend cycles idle      \n"
		    "           1600000      stalled-cycles-backend           #   53.33% backend cycles idle       \n"
		    "            800000      branches                         #  800.000 M/sec                     \n"
		    "              9000      branch-misses                    #    1.12% of all branches           \n");
	fixture__free(&f);
}

static void a_second_metric_lines_up_below_the_first_of_a_cpu(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "3");
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__event(&f, "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	f.config.core_pmu = "cpu";
	fixture__ready(&f, AGGR_NONE);
	fixture__count(&f, 0, 1000, MSEC);
	fixture__count(&f, 1, 500, MSEC);
	report__add_run(f.report, &f.set, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "CPU3                 1000      instructions [cpu]                                                 "
		    "   \n"
		    "CPU3                                                             #    0.50  stalled cycles per "
		    "insn   \n"
		    "CPU3                  500      stalled-cycles-backend [cpu]                                       "
		    "   \n");
	fixture__free(&f);
}

static void a_metric_without_its_other_event_is_blank(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1000, MSEC);
	report__add_run(f.report, &f.set, 2e6);
	expect_rows(&f, (struct output_config){ 0 },
		    "              1000      instructions                                                          \n");
	fixture__free(&f);
}

static void notable_shares_are_coloured_on_request(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	fixture__event(&f, "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 100, MSEC);
	fixture__count(&f, 1, 21, MSEC);
	report__add_run(f.report, &f.set, 2e6);
	expect_rows(&f, (struct output_config){ .color = true },
		    "               100      branches                                                              \n"
		    "                21      branch-misses                    # \033[31m  21.00%\033[m of all branches "
		    "          \n");
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
	f.set.run_cnt = counts__new(run_cnt, f.cpus, 1);
	for (int cpu = 0; cpu < 2; cpu++) {
		fixture__set(&f, 0, cpu, 0, 12345, 5000, 5000);
		fixture__set(&f, 1, cpu, 0, 10, 5000, 5000);
		counts__set(f.set.run_cnt, cpu, 0, &(struct reading){ 10, 5000, 5000 });
	}
	report__add_run(f.report, &f.set, 1e9);
	expect_report(&f, (struct output_config){ 0 }, &head, &foot,
		      "\n"
		      " Performance counter stats for 'BPF program(s) 57,58':\n"
		      "\n"
		      "             24690      cycles                           # 1234.500 per run                   \n"
		      "                20      run_cnt                                                               \n"
		      "\n"
		      "       1.000000000 seconds time elapsed\n"
		      "\n");
	fixture__free(&f);
}

static void head_names_every_kind_of_target(void **state)
{
	static const char *const argv[] = { "sh", "-c", "exit\n3\033[2J", NULL };
	static const struct {
		struct output_head head;
		const char *text;
	} cases[] = {
		{ { .kind = TARGET_COMMAND, .argv = argv },
		  "\n Performance counter stats for 'sh -c exit?3?[2J':\n\n" },
		{ { .kind = TARGET_PROCESS, .text = "1,2" }, "\n Performance counter stats for process id '1,2':\n\n" },
		{ { .kind = TARGET_THREAD, .text = "3" }, "\n Performance counter stats for thread id '3':\n\n" },
		{ { .kind = TARGET_SYSTEM }, "\n Performance counter stats for 'system wide':\n\n" },
		{ { .kind = TARGET_CPUS, .text = "0-1" }, "\n Performance counter stats for 'CPU(s) 0-1':\n\n" },
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

static void an_interval_stands_behind_its_time(void **state)
{
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__faults(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	sink__open(&sink, (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	fixture__count(&f, 0, 1, 704045);
	fixture__count(&f, 1, 704045, 704045);
	fixture__count(&f, 2, 75, 704045);
	assert_int_equal(report__interval(f.report, &f.set, 200e6, &f.rows), 0);
	assert_int_equal(output__interval(sink.output, &(struct timespec){ 0, 200242841 }, &f.rows), 0);
	fixture__mark(&f);
	assert_int_equal(report__interval(f.report, &f.set, 200e6, &f.rows), 0);
	assert_int_equal(output__interval(sink.output, &(struct timespec){ 0, 400607163 }, &f.rows), 0);
	sink__expect(&sink, "#           time             counts unit events\n"
			    "     0.200242841                  1      cs                               #    1.420 "
			    "K/sec                     \n"
			    "     0.200242841               0.70 msec task-clock                       #    0.004 CPUs "
			    "utilized             \n"
			    "     0.200242841                 75      page-faults                      #  106.527 "
			    "K/sec                     \n"
			    "     0.400607163      <not counted>      cs                                               "
			    "                     \n"
			    "     0.400607163      <not counted> msec task-clock                                       "
			    "                     \n"
			    "     0.400607163      <not counted>      page-faults                                      "
			    "                     \n");
	fixture__free(&f);
}

static void columns_come_again_after_26_intervals(void **state)
{
	int headings = 0, line = 0, second = -1;
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	sink__open(&sink, (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	for (int i = 0; i < 30; i++) {
		assert_int_equal(report__interval(f.report, &f.set, 1e6, &f.rows), 0);
		assert_int_equal(output__interval(sink.output, &(struct timespec){ i, 0 }, &f.rows), 0);
	}
	for (const char *at = sink.text; *at; at = strchr(at, '\n') + 1, line++) {
		if (*at != '#')
			continue;
		if (headings++ == 1)
			second = line;
	}
	assert_int_equal(headings, 2);
	assert_int_equal(second, 27); /* the heading, 26 intervals of one row, the heading */
	sink__close(&sink);
	fixture__free(&f);
}

static void a_cleared_screen_has_columns_each_time(void **state)
{
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__ready(&f, AGGR_GLOBAL);
	sink__open(&sink, (struct output_config){
				  .format = &output_std,
				  .aggr_mode = AGGR_GLOBAL,
				  .clear_screen = true,
			  });
	for (int i = 0; i < 2; i++) {
		assert_int_equal(report__interval(f.report, &f.set, 1e6, &f.rows), 0);
		assert_int_equal(output__interval(sink.output, &(struct timespec){ i, 0 }, &f.rows), 0);
	}
	sink__expect(&sink, "\033[H\033[2J#           time             counts unit events\n"
			    "\033[H\033[2J#           time             counts unit events\n");
	fixture__free(&f);
}

static void a_wide_unit_widens_the_column(void **state)
{
	struct evsel *evsel;
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	evsel = fixture__event(&f, "power/energy-pkg/", 40, 2);
	free(evsel->unit);
	evsel->unit = strdup("Joules");
	evsel->scale = 0.25;
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 3, 10);
	fixture__count(&f, 1, 10, 10);
	sink__open(&sink, (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	assert_int_equal(report__interval(f.report, &f.set, 1e6, &f.rows), 0);
	assert_int_equal(output__interval(sink.output, &(struct timespec){ 1, 0 }, &f.rows), 0);
	sink__expect(&sink, "#           time             counts   unit events\n"
			    "     1.000000000                  3        cs                                             "
			    "                       \n"
			    "     1.000000000               2.50 Joules power/energy-pkg/                              "
			    "                       \n");
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
	f.config.cgroups = cgroups;
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 3; i++)
		fixture__count(&f, i, 1092220000, 1092220000);
	report__add_run(f.report, &f.set, 1008500000);
	expect_rows(&f, (struct output_config){ .cgroups = true },
		    "           1092.22 msec task-clock                       pA               #    1.083 CPUs "
		    "utilized             \n"
		    "           1092.22 msec task-clock                       p?B              #    1.083 CPUs "
		    "utilized             \n"
		    "           1092.22 msec task-clock                                        #    1.083 CPUs "
		    "utilized             \n");
	fixture__free(&f);
}

static void threads_are_named_by_comm_and_tid(void **state)
{
	static const struct aggr_thread threads[] = {
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
	fixture__ready_map(&f, aggr_map__of_threads(threads, 4), 4);
	for (int i = 0; i < 3; i++)
		fixture__set(&f, 0, 0, i, 4, 1000, 1000);
	report__add_run(f.report, &f.set, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "     rcu_preempt-15                       4      cs                                               "
		    "                     \n"
		    "kworker/u8:0-ext4-rsv-conversion-12                       4      cs                               "
		    "                                     \n"
		    "             a?b-7                        4      cs                                               "
		    "                     \n");
	fixture__free(&f);
}

static void a_started_line_comes_first(void **state)
{
	struct sink sink;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	sink__open(&sink, (struct output_config){ .format = &output_std, .started = 1795246329 });
	sink__expect(&sink, "# started on Sat Nov 21 07:32:09 2026\n\n");
}

/* /dev/full takes nothing. */
static void a_full_disk_is_an_error_from_the_first_write_on(void **state)
{
	struct output_config config = { .format = &output_std, .file = fopen("/dev/full", "w") };
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output *output;

	(void)state;
	assert_non_null(config.file);
	assert_int_equal(output__new(&config, &output), 0);
	assert_int_equal(output__begin(output, &head), -ENOSPC);
	assert_int_equal(output__end(output, &(struct output_foot){ 0 }), -ENOSPC);
	output__free(output);
	fclose(config.file);
}

/* A pipe whose reader is gone. */
static void a_closed_pipe_is_an_error(void **state)
{
	struct output_config config = { .format = &output_std };
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output *output;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	config.file = fdopen(fds[1], "w");
	assert_non_null(config.file);
	close(fds[0]);
	assert_int_equal(output__new(&config, &output), 0);
	assert_int_equal(output__begin(output, &head), -EPIPE);
	output__free(output);
	fclose(config.file);
	signal(SIGPIPE, SIG_DFL);
}

static void figures_follow_the_locale(void **state)
{
	struct use_locale locale = { "" };
	bool is_german = use_locale(&locale, "de_DE");
	struct fixture f;

	(void)state;
	if (is_german) {
		fixture__init(&f, "0");
		fixture__event(&f, "msr/tsc/", 9, 0);
		fixture__clock(&f);
		fixture__ready(&f, AGGR_GLOBAL);
		fixture__count(&f, 0, 529339044, 203900000);
		fixture__count(&f, 1, 203900000, 203900000);
		report__add_run(f.report, &f.set, 101952405);
		expect_rows(&f, (struct output_config){ .big_num = true },
			    "       529.339.044      msr/tsc/                         #    2,596 G/sec                 "
			    "    \n"
			    "            203,90 msec task-clock                       #    2,000 CPUs utilized         "
			    "    \n");
		expect_rows(&f, (struct output_config){ 0 },
			    "         529339044      msr/tsc/                         #    2,596 G/sec                 "
			    "    \n"
			    "            203,90 msec task-clock                       #    2,000 CPUs utilized         "
			    "    \n");
		fixture__free(&f);
	}
	unuse_locale(&locale);
	if (!is_german) {
		print_message("localedef cannot make de_DE.UTF-8 here\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_has_head_rows_and_its_own_times),
		cmocka_unit_test(a_series_shows_its_runs_and_how_many_there_were),
		cmocka_unit_test(what_was_not_counted_or_not_supported_says_so),
		cmocka_unit_test(each_cpu_has_its_row_and_events_name_their_pmu),
		cmocka_unit_test(several_runs_show_mean_and_noise),
		cmocka_unit_test(runs_that_do_not_differ_keep_all_places),
		cmocka_unit_test(nothing_counted_leaves_no_gap),
		cmocka_unit_test(the_share_of_time_stands_behind_what_ran_for_a_part),
		cmocka_unit_test(hardware_metrics_stand_in_their_column),
		cmocka_unit_test(a_second_metric_lines_up_below_the_first_of_a_cpu),
		cmocka_unit_test(a_metric_without_its_other_event_is_blank),
		cmocka_unit_test(notable_shares_are_coloured_on_request),
		cmocka_unit_test(runs_of_a_program_give_a_count_per_run),
		cmocka_unit_test(head_names_every_kind_of_target),
		cmocka_unit_test(an_interval_stands_behind_its_time),
		cmocka_unit_test(columns_come_again_after_26_intervals),
		cmocka_unit_test(a_cleared_screen_has_columns_each_time),
		cmocka_unit_test(a_wide_unit_widens_the_column),
		cmocka_unit_test(cgroups_have_a_column),
		cmocka_unit_test(threads_are_named_by_comm_and_tid),
		cmocka_unit_test(a_started_line_comes_first),
		cmocka_unit_test(a_full_disk_is_an_error_from_the_first_write_on),
		cmocka_unit_test(a_closed_pipe_is_an_error),
		cmocka_unit_test(figures_follow_the_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
