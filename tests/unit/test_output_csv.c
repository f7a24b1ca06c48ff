// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"
#include "tests/unit/use-locale.h"

/* Compares the CSV rows of all runs so far. */
static void expect_rows(struct fixture *f, struct output_config config, const char *text)
{
	static const struct output_head head = { .kind = TARGET_SYSTEM };
	static const struct output_foot foot = { .elapsed = 1.0 };

	config.format = &output_csv;
	fixture__expect(f, config, &head, &foot, text);
}

static void a_row_is_a_line_without_head_or_foot(void **state)
{
	struct fixture f;

	(void)state;
	fixture__task(&f, 0, 535567, 50);
	fixture__add_run(&f, 1500000);
	expect_rows(&f, (struct output_config){ 0 },
		    "0,,cs,535567,100.00,0.000,/sec\n"
		    "0.54,msec,task-clock,535567,100.00,0.357,CPUs utilized\n"
		    "50,,page-faults,535567,100.00,93.359,K/sec\n");
	fixture__free(&f);
}

static void the_header_names_each_field_once(void **state)
{
	struct fixture f;

	(void)state;
	fixture__task(&f, 0, 535567, 50);
	fixture__add_run(&f, 1500000);
	expect_rows(&f, (struct output_config){ .csv_header = true, .cgroups = true, .runs = 2 },
		    "counter-value,unit,event,cgroup,variance,event-runtime,pcnt-running,"
		    "metric-value,metric-unit\n"
		    "0,,cs,,0.00%,535567,100.00,0.000,/sec\n"
		    "0.54,msec,task-clock,,0.00%,535567,100.00,0.357,CPUs utilized\n"
		    "50,,page-faults,,0.00%,535567,100.00,93.359,K/sec\n");
	fixture__free(&f);
}

static void events_that_were_not_counted_keep_their_fields(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	counts__set_unsupported(f.events[0], -ENOENT, "no PMU");
	fixture__count(&f, 1, 0, 439054);
	fixture__add_run(&f, 1500000);
	expect_rows(&f, (struct output_config){ 0 },
		    "<not supported>,,cycles,0,100.00,,\n"
		    "0,,cs,439054,100.00,,\n"
		    "<not counted>,msec,task-clock,0,100.00,,\n");
	fixture__free(&f);
}

static void an_interval_begins_with_its_time(void **state)
{
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__clock(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 1, 733632);
	fixture__count(&f, 1, 733632, 733632);
	sink__open(&sink,
		   (struct output_config){ .format = &output_csv, .aggr_mode = AGGR_GLOBAL });
	fixture__write_interval(&f, sink.output, (struct timespec){ 0, 200324392 }, 200e6);
	sink__expect(&sink, "0.200324392,1,,cs,733632,100.00,1.363,K/sec\n"
			    "0.200324392,0.73,msec,task-clock,733632,100.00,0.004,CPUs utilized\n");
	fixture__free(&f);
}

static void the_share_of_time_is_truncated_to_whole_percents(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, 10, 300, 200);
	/* 100 times these values do not fit in 64 bits */
	fixture__set(&f, 1, 0, 0, 10, UINT64_MAX, UINT64_MAX / 2);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .separator = ";" },
		    "15;;cs;200;66.00;;\n"
		    "20;;cs;9223372036854775807;49.00;;\n");
	fixture__free(&f);
}

static void a_second_metric_has_a_line_with_empty_fields(void **state)
{
	static const char *const cgroups[] = { "a", "a", "a" };
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__event(&f, "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		       PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	fixture__ready(&f, AGGR_NONE);
	for (int event = 0; event < 3; event++)
		fixture__count(&f, event, 1000 >> event, 50);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "CPU0,1000,,instructions,50,100.00,2.00,insn per cycle\n"
		    "CPU0,,,,,,0.25,stalled cycles per insn\n"
		    "CPU1,<not counted>,,instructions,0,100.00,,\n"
		    "CPU0,500,,cycles,50,100.00,,\n"
		    "CPU1,<not counted>,,cycles,0,100.00,,\n"
		    "CPU0,250,,stalled-cycles-backend,50,100.00,50.00,backend cycles idle\n"
		    "CPU1,<not counted>,,stalled-cycles-backend,0,100.00,,\n");
	fixture__free(&f);

	fixture__init(&f, NULL);
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__event(&f, "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		       PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	fixture__in_cgroups(&f, cgroups);
	fixture__ready(&f, AGGR_GLOBAL);
	for (int event = 0; event < 3; event++)
		fixture__count(&f, event, 1000 >> event, 50);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .cgroups = true },
		    "1000,,instructions,a,50,100.00,2.00,insn per cycle\n"
		    ",,,,,,0.25,stalled cycles per insn\n"
		    "500,,cycles,a,50,100.00,,\n"
		    "250,,stalled-cycles-backend,a,50,100.00,50.00,backend cycles idle\n");
	fixture__free(&f);
}

static void runs_have_a_noise_column(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 100, 1000);
	fixture__add_run(&f, 1e9);
	fixture__count(&f, 0, 300, 3000);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .runs = 2 }, "200,,cs,50.00%,2000,100.00,,\n");
	fixture__free(&f);
}

static void a_field_that_contains_the_separator_is_quoted(void **state)
{
	static const char *const cgroups[] = { "a,b", "say \"x\"", "two\nlines", "plain; one" };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "cpu/event=1,umask=2/", PERF_TYPE_RAW, 0);
	for (int i = 0; i < 3; i++)
		fixture__cs(&f);
	fixture__in_cgroups(&f, cgroups);
	fixture__ready(&f, AGGR_GLOBAL);
	for (int i = 0; i < 4; i++)
		fixture__count(&f, i, 1, 1);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .cgroups = true },
		    "1,,\"cpu/event=1,umask=2/\",\"a,b\",1,100.00,,\n"
		    "1,,cs,\"say \"\"x\"\"\",1,100.00,,\n"
		    "1,,cs,\"two\nlines\",1,100.00,,\n"
		    "1,,cs,plain; one,1,100.00,,\n");
	expect_rows(&f, (struct output_config){ .cgroups = true, .separator = "; " },
		    "1; ; cpu/event=1,umask=2/; a,b; 1; 100.00; ; \n"
		    "1; ; cs; \"say \"\"x\"\"\"; 1; 100.00; ; \n"
		    "1; ; cs; \"two\nlines\"; 1; 100.00; ; \n"
		    "1; ; cs; \"plain; one\"; 1; 100.00; ; \n");
	fixture__free(&f);
}

static void an_empty_separator_is_allowed(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 0, 464623);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .separator = "" }, "0cs464623100.00\n");
	fixture__free(&f);
}

static void a_thread_is_one_field(void **state)
{
	static const struct fixture_thread threads[] = { { 15, "rcu_preempt" }, { 16, "a,b" } };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__threads(&f, threads, 2);
	fixture__ready(&f, AGGR_THREAD);
	fixture__set(&f, 0, 0, 0, 6, 48934, 48934);
	fixture__set(&f, 0, 0, 1, 0, 5, 5);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "rcu_preempt-15,6,,cs,48934,100.00,,\n"
		    "\"a,b-16\",0,,cs,5,100.00,,\n");
	fixture__free(&f);
}

static void a_line_that_was_begun_by_the_caller_comes_first(void **state)
{
	struct sink sink;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	sink__open(&sink, (struct output_config){ .format = &output_csv, .started = 1795246329 });
	sink__expect(&sink, "# started on Sat Nov 21 07:32:09 2026\n\n");
}

static void figures_keep_their_point(void)
{
	struct fixture f;

	fixture__of_fractions(&f);
	expect_rows(&f, (struct output_config){ .big_num = true },
		    "1203.90,msec,task-clock,2000000000,100.00,0.602,CPUs utilized\n");
	fixture__free(&f);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
	(void)state;
	in_german(figures_keep_their_point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_a_line_without_head_or_foot),
		cmocka_unit_test(the_header_names_each_field_once),
		cmocka_unit_test(events_that_were_not_counted_keep_their_fields),
		cmocka_unit_test(an_interval_begins_with_its_time),
		cmocka_unit_test(the_share_of_time_is_truncated_to_whole_percents),
		cmocka_unit_test(a_second_metric_has_a_line_with_empty_fields),
		cmocka_unit_test(runs_have_a_noise_column),
		cmocka_unit_test(a_field_that_contains_the_separator_is_quoted),
		cmocka_unit_test(an_empty_separator_is_allowed),
		cmocka_unit_test(a_thread_is_one_field),
		cmocka_unit_test(a_line_that_was_begun_by_the_caller_comes_first),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
