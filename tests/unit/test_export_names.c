// SPDX-License-Identifier: GPL-2.0-only
/* The names and labels of the metrics of events. */
#include "tests/unit/export-fixture.h"

static void two_events_never_have_one_name(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__cs(&e.f);
	fixture__event(&e.f, "event_up", PERF_TYPE_RAW, 1);
	fixture__clock(&e.f);
	fixture__clock(&e.f);
	fixture__event(&e.f, "cs_total", PERF_TYPE_RAW, 1);
	fixture__event(&e.f, "cs:created", PERF_TYPE_RAW, 1);
	exporter__ready(&e, AGGR_GLOBAL, 0);
	for (int i = 0; i < 7; i++)
		fixture__count(&e.f, i, (uint64_t)i + 1, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	assert_memory_equal(text, "# HELP pstat_cs The event cs\n", 29);
	expect_line(text, "pstat_cs_total 1");
	expect_line(text, "pstat_cs_2_total 2");
	expect_line(text, "pstat_event_up_2_total 3");
	/* the unit is always at the end */
	expect_line(text, "# UNIT pstat_task_clock_2_seconds seconds");
	/* a family pstat_cs_total would have the name of a sample of pstat_cs */
	expect_line(text, "pstat_cs_total_2_total 6");
	/* pstat_cs_created could be the time at which pstat_cs began */
	expect_line(text, "pstat_cs_created_2_total 7");
	expect_line(text, "pstat_event_up{event=\"cs\"} 1");
	expect_line(text, "pstat_event_up{event=\"cs_2\"} 1");
	expect_line(text, "pstat_event_running_seconds_total{event=\"task-clock_2\"} 0.001");
	exporter__free(&e);
}

static void an_event_on_several_pmus_has_one_series(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	for (int i = 0; i < 3; i++) {
		struct evsel *evsel = fixture__event(&e.f, "imc/reads/", PERF_TYPE_RAW, 1);

		evsel->merged = i > 0;
		evsel->merge_into = i ? e.f.evlist->entries[0] : NULL;
	}
	exporter__ready(&e, AGGR_GLOBAL, 0);
	counts__set_unsupported(e.f.events[0], -ENOENT, "no counter");
	for (int i = 1; i < 3; i++)
		fixture__count(&e.f, i, 10, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_line(text, "pstat_imc_reads_total 20");
	expect_line(text, "pstat_event_up{event=\"imc/reads/\"} 1");
	expect_line(text, "pstat_event_running_seconds_total{event=\"imc/reads/\"} 0.002");
	expect_none(text, "reads_2");
	expect_none(text, "reason=");
	exporter__free(&e);
}

static void quotation_marks_have_no_backslash_in_the_help_of_prometheus(void **state)
{
	struct exporter e;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__event(&e.f, "a\\\"b", PERF_TYPE_RAW, 1);
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__count(&e.f, 0, 1, MSEC);
	exporter__text(&e, FORMAT_OPENMETRICS);
	assert_memory_equal(e.text.text, "# HELP pstat_a_b The event a\\\\\\\"b\n", 33);
	exporter__text(&e, FORMAT_PROMETHEUS_TEXT);
	assert_memory_equal(e.text.text, "# HELP pstat_a_b_total The event a\\\\\"b\n", 38);
	exporter__free(&e);
}

static void units_are_base_units(void **state)
{
	struct exporter e;
	struct evsel *evsel;

	(void)state;
	fixture__init(&e.f, "0");
	evsel = fixture__event(&e.f, "uncore/reads/", PERF_TYPE_RAW, 1);
	free(evsel->unit);
	evsel->unit = strdup("MiB");
	evsel->scale = 0.25;
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__count(&e.f, 0, 3, MSEC);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS),
		    "pstat_uncore_reads_bytes_total 786432");
	exporter__free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_events_never_have_one_name),
		cmocka_unit_test(an_event_on_several_pmus_has_one_series),
		cmocka_unit_test(quotation_marks_have_no_backslash_in_the_help_of_prometheus),
		cmocka_unit_test(units_are_base_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
