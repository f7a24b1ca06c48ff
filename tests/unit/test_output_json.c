// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/json-lines.h"
#include "tests/unit/stat-fixture.h"
#include "tests/unit/use-locale.h"

#include <errno.h>

/* Compares the JSON rows of all runs so far. */
static void expect_rows(struct fixture *f, struct output_config config, const char *text)
{
	static const struct output_head head = { .kind = TARGET_SYSTEM };
	static const struct output_foot foot = { .elapsed = 1.0 };
	struct sink sink;

	config.format = &output_json;
	config.aggr_mode = f->config.aggr->mode;
	config.started = 1;
	sink__open(&sink, config);
	fixture__write_runs(f, sink.output, &head, &foot);
	fflush(sink.file);
	expect_json_lines(sink.text);
	sink__expect(&sink, text);
}

static void a_row_is_an_object_and_nothing_else_is_printed(void **state)
{
	struct fixture f;

	(void)state;
	fixture__task(&f, 1, 493896, 48);
	fixture__add_run(&f, 906850);
	expect_rows(&f, (struct output_config){ 0 },
		    "{\"counter-value\" : \"1.000000\", \"unit\" : \"\", \"event\" : \"cs\", "
		    "\"event-runtime\" : 493896, "
		    "\"pcnt-running\" : 100.00, \"metric-value\" : \"2.024718\", \"metric-unit\" : "
		    "\"K/sec\"}\n"
		    "{\"counter-value\" : \"0.493896\", \"unit\" : \"msec\", \"event\" : "
		    "\"task-clock\", \"event-runtime\" "
		    ": 493896, "
		    "\"pcnt-running\" : 100.00, \"metric-value\" : \"0.544628\", \"metric-unit\" : "
		    "\"CPUs utilized\"}\n"
		    "{\"counter-value\" : \"48.000000\", \"unit\" : \"\", \"event\" : "
		    "\"page-faults\", \"event-runtime\" : "
		    "493896, "
		    "\"pcnt-running\" : 100.00, \"metric-value\" : \"97.186452\", \"metric-unit\" "
		    ": \"K/sec\"}\n");
	fixture__free(&f);
}

static void the_value_of_an_uncounted_event_is_a_text(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "0-1");
	fixture__event(&f, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_NONE);
	counts__set_unsupported(f.events[0], -ENOENT, NULL);
	fixture__set(&f, 1, 1, 0, 12, 400, 300);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "{\"cpu\" : \"0\", \"counter-value\" : \"<not supported>\", \"unit\" : \"\", "
		    "\"event\" : \"cycles\", "
		    "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.000000\", \"metric-unit\" : "
		    "\"\"}\n"
		    "{\"cpu\" : \"1\", \"counter-value\" : \"<not supported>\", \"unit\" : \"\", "
		    "\"event\" : \"cycles\", "
		    "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.000000\", \"metric-unit\" : "
		    "\"\"}\n"
		    "{\"cpu\" : \"0\", \"counter-value\" : \"<not counted>\", \"unit\" : \"\", "
		    "\"event\" : \"cs "
		    "[software]\", "
		    "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.000000\", \"metric-unit\" : "
		    "\"\"}\n"
		    "{\"cpu\" : \"1\", \"counter-value\" : \"16.000000\", \"unit\" : \"\", "
		    "\"event\" : \"cs [software]\", "
		    "\"event-runtime\" : 300, \"pcnt-running\" : 75.00, \"metric-value\" : "
		    "\"0.000000\", \"metric-unit\" : "
		    "\"\"}\n");
	fixture__free(&f);
}

static void an_interval_begins_with_its_time_and_runs_have_a_variance(void **state)
{
	static const char *const cgroups[] = { "pA/sub" };
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__in_cgroups(&f, cgroups);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 3, 733632);
	sink__open(&sink, (struct output_config){
				  .format = &output_json,
				  .aggr_mode = AGGR_GLOBAL,
				  .cgroups = true,
				  .runs = 2,
			  });
	fixture__write_interval(&f, sink.output, (struct timespec){ 12, 5 }, 200e6);
	sink__expect(&sink, "{\"interval\" : 12.000000005, \"counter-value\" : \"3.000000\", "
			    "\"unit\" : \"\", \"event\" : \"cs\", "
			    "\"cgroup\" : \"pA/sub\", \"variance\" : 0.00, \"event-runtime\" : "
			    "733632, \"pcnt-running\" : 100.00, "
			    "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n");
	fixture__free(&f);
}

static void a_second_metric_has_its_own_object(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, "0");
	fixture__event(&f, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	fixture__event(&f, "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		       PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	fixture__ready(&f, AGGR_NONE);
	fixture__count(&f, 0, 1000, 50);
	fixture__count(&f, 1, 250, 50);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "{\"cpu\" : \"0\", \"counter-value\" : \"1000.000000\", \"unit\" : \"\", "
		    "\"event\" : \"instructions\", "
		    "\"event-runtime\" : 50, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.000000\", "
		    "\"metric-unit\" : \"insn per cycle\"}\n"
		    "{\"cpu\" : \"0\", \"metric-value\" : \"0.250000\", \"metric-unit\" : "
		    "\"stalled cycles per insn\"}\n"
		    "{\"cpu\" : \"0\", \"counter-value\" : \"250.000000\", \"unit\" : \"\", "
		    "\"event\" : "
		    "\"stalled-cycles-backend\", "
		    "\"event-runtime\" : 50, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.000000\", "
		    "\"metric-unit\" : \"backend cycles idle\"}\n");
	fixture__free(&f);
}

static void any_name_results_in_valid_json(void **state)
{
	static const struct fixture_thread threads[] = { { 1, "a\"b\\\n\x01" },
							 { 2, "\xff\xc3\xa4" } };
	static const char *const cgroups[] = { "}{\"" };
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__event(&f, "syscalls:\"x\"", PERF_TYPE_TRACEPOINT, 5);
	fixture__in_cgroups(&f, cgroups);
	fixture__threads(&f, threads, 2);
	fixture__ready(&f, AGGR_THREAD);
	for (int i = 0; i < 2; i++)
		fixture__set(&f, 0, 0, i, 1, 9, 9);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ .cgroups = true },
		    "{\"thread\" : \"a\\\"b\\\\\\n\\u0001-1\", \"counter-value\" : \"1.000000\", "
		    "\"unit\" : \"\", "
		    "\"event\" : \"syscalls:\\\"x\\\"\", \"cgroup\" : \"}{\\\"\", "
		    "\"event-runtime\" : 9, "
		    "\"pcnt-running\" : 100.00, "
		    "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n"
		    "{\"thread\" : \"\\ufffd\xc3\xa4-2\", \"counter-value\" : \"1.000000\", "
		    "\"unit\" : \"\", "
		    "\"event\" : \"syscalls:\\\"x\\\"\", \"cgroup\" : \"}{\\\"\", "
		    "\"event-runtime\" : 9, "
		    "\"pcnt-running\" : 100.00, "
		    "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n");
	fixture__free(&f);
}

static void the_largest_count_is_a_number(void **state)
{
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__set(&f, 0, 0, 0, UINT64_MAX, UINT64_MAX, 1);
	fixture__add_run(&f, 1e9);
	expect_rows(&f, (struct output_config){ 0 },
		    "{\"counter-value\" : \"18446744073709551616.000000\", \"unit\" : \"\", "
		    "\"event\" : \"cs\", "
		    "\"event-runtime\" : 1, \"pcnt-running\" : 0.00, \"metric-value\" : "
		    "\"0.000000\", \"metric-unit\" "
		    ": \"\"}\n");
	fixture__free(&f);
}

static void figures_keep_their_point(void)
{
	struct fixture f;

	fixture__of_fractions(&f);
	expect_rows(&f, (struct output_config){ .big_num = true },
		    "{\"counter-value\" : \"1203.900000\", \"unit\" : \"msec\", \"event\" : "
		    "\"task-clock\", "
		    "\"event-runtime\" : 2000000000, \"pcnt-running\" : 100.00, \"metric-value\" : "
		    "\"0.601950\", "
		    "\"metric-unit\" : \"CPUs utilized\"}\n");
	fixture__free(&f);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
	(void)state;
	in_german(figures_keep_their_point);
}

static void add_metric(struct stat_rows *rows, const char *name, bool asked_for, double value)
{
	const struct aggr_id id = { .mode = AGGR_GLOBAL };
	const struct row_metric metric = { .unit = name,
					   .has_value = true,
					   .asked_for = asked_for,
					   .value = value,
					   .decimals = 2 };
	struct stat_row *row = stat_rows__add(rows, &id, "instructions", "", NULL);
	struct metric_row metrics = { 0 };

	assert_non_null(row);
	assert_int_equal(metric_row__add(&metrics, &metric), 0);
	row->metrics = metrics.metrics;
	row->nr_metrics = metrics.nr;
}

static void a_requested_metric_keeps_its_name_as_key(void **state)
{
	struct stat_rows rows = { 0 };
	struct sink sink;

	(void)state;
	add_metric(&rows, "insn per cycle", false, 1);
	add_metric(&rows, "insn per cycle", true, 2);
	add_metric(&rows, "insn per cycle", false, 3);
	add_metric(&rows, "insn per cycle", true, 4);
	sink__open(&sink, (struct output_config){ .format = &output_json, .metric_only = true });
	assert_int_equal(output__rows(sink.output, &rows), 0);
	fflush(sink.file);
	expect_json_lines(sink.text);
	sink__expect(&sink,
		     "{\"insn per cycle #3\" : \"1.00\", \"insn per cycle\" : \"2.00\", "
		     "\"insn per cycle #4\" : \"3.00\", \"insn per cycle #2\" : \"4.00\"}\n");
	stat_rows__free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_an_object_and_nothing_else_is_printed),
		cmocka_unit_test(the_value_of_an_uncounted_event_is_a_text),
		cmocka_unit_test(an_interval_begins_with_its_time_and_runs_have_a_variance),
		cmocka_unit_test(a_second_metric_has_its_own_object),
		cmocka_unit_test(any_name_results_in_valid_json),
		cmocka_unit_test(the_largest_count_is_a_number),
		cmocka_unit_test(numbers_do_not_depend_on_the_locale),
		cmocka_unit_test(a_requested_metric_keeps_its_name_as_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
