// SPDX-License-Identifier: GPL-2.0-only
/* Counts to metrics, and metrics to text in both formats. */
#include "tests/unit/export-fixture.h"

static void both_formats_have_the_same_samples(void **state)
{
	struct exporter e;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__clock(&e.f);
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__count(&e.f, 0, 7, MSEC);
	fixture__count(&e.f, 1, 1500000010, MSEC);
	exporter__text(&e, FORMAT_OPENMETRICS);
	assert_memory_equal(e.text.text,
			    "# HELP pstat_cs The event cs\n"
			    "# TYPE pstat_cs counter\n"
			    "pstat_cs_total 7\n"
			    "# HELP pstat_task_clock_seconds The event task-clock\n"
			    "# TYPE pstat_task_clock_seconds counter\n"
			    "# UNIT pstat_task_clock_seconds seconds\n"
			    "pstat_task_clock_seconds_total 1.50000001\n",
			    200);
	expect_line(e.text.text, "pstat_build_info{version=\"1.0\"} 1");
	expect_line(e.text.text, "# TYPE pstat_build info");
	expect_line(e.text.text, "pstat_scrape_duration_seconds 0.0000015");
	assert_string_equal(e.text.text + e.text.len - 6, "# EOF\n");
	exporter__text(&e, FORMAT_PROMETHEUS_TEXT);
	assert_memory_equal(e.text.text,
			    "# HELP pstat_cs_total The event cs\n"
			    "# TYPE pstat_cs_total counter\n"
			    "pstat_cs_total 7\n"
			    "# HELP pstat_task_clock_seconds_total The event task-clock\n"
			    "# TYPE pstat_task_clock_seconds_total counter\n"
			    "pstat_task_clock_seconds_total 1.50000001\n",
			    180);
	expect_line(e.text.text, "# TYPE pstat_build_info gauge");
	expect_none(e.text.text, "EOF");
	expect_none(e.text.text, "UNIT");
	exporter__free(&e);
}

static void what_was_not_counted_is_absent_and_has_a_reason(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__clock(&e.f);
	fixture__faults(&e.f);
	exporter__ready(&e, AGGR_GLOBAL, 0);
	counts__set_unsupported(e.f.events[0], -ENOENT, "cs on CPU 0: no \"PMU\"\ntry another");
	/* enabled, but without a counter */
	fixture__set(&e.f, 1, 0, 0, 0, MSEC, 0);
	fixture__count(&e.f, 2, 0, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_none(text, "pstat_cs");
	expect_none(text, "pstat_task_clock");
	/* an exact 0 */
	expect_line(text, "pstat_page_faults_total 0");
	expect_line(text, "pstat_event_up{event=\"cs\",reason=\"no \\\"PMU\\\"\"} 0");
	expect_line(text, "pstat_event_up{event=\"task-clock\",reason=\"the event has not had a "
			  "counter yet\"} 0");
	expect_line(text, "pstat_event_up{event=\"page-faults\"} 1");
	expect_line(text, "pstat_event_enabled_seconds_total{event=\"task-clock\"} 0.001");
	expect_line(text, "pstat_event_running_seconds_total{event=\"task-clock\"} 0");
	exporter__free(&e);
}

static void counts_are_scaled_and_never_decrease(void **state)
{
	struct exporter e;

	(void)state;
	fixture__init(&e.f, "0-1");
	fixture__cs(&e.f);
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__set(&e.f, 0, 0, 0, 100, 2 * MSEC, MSEC);
	fixture__set(&e.f, 0, 1, 0, 10, MSEC, MSEC);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS), "pstat_cs_total 210");
	/* 110 * 3 / 2 is less than 200 */
	fixture__set(&e.f, 0, 0, 0, 110, 3 * MSEC, 2 * MSEC);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS), "pstat_cs_total 210");
	fixture__set(&e.f, 0, 0, 0, 400, 4 * MSEC, 2 * MSEC);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS), "pstat_cs_total 810");
	exporter__free(&e);
}

static void each_cpu_has_a_label(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0,5");
	fixture__cs(&e.f);
	exporter__ready(&e, AGGR_NONE, 0);
	fixture__set(&e.f, 0, 0, 0, 1, MSEC, MSEC);
	fixture__set(&e.f, 0, 1, 0, 2, MSEC, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_line(text, "pstat_cpu_cs_total{cpu=\"0\"} 1");
	expect_line(text, "pstat_cpu_cs_total{cpu=\"5\"} 2");
	exporter__free(&e);
}

#define POD                                                                            \
	"/kubepods.slice/kubepods-pod2f3a6c0d_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice/crio-" \
	"3c97b4b1a2f2a5b6c0f3d1e4f5061728394a5b6c7d8e9f00112233445566778f.scope"

static void cgroups_have_ids_and_escaped_names(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__cgroup(&e.f, POD);
	fixture__cgroup(&e.f, "a\"b\\c\nd\x1b[2J\xff\xc3\xa4\xef\xbf\xbd\xc2\x9b");
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__set(&e.f, 0, 0, 0, 1, MSEC, MSEC);
	fixture__set(&e.f, 0, 0, 1, 2, MSEC, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"" POD "\","
			  "pod_uid=\"2f3a6c0d-1b2c-4d5e-8f90-a1b2c3d4e5f6\",container_id=\""
			  "3c97b4b1a2f2a5b6c0f3d1e4f5061728394a5b6c7d8e9f00112233445566778f\"} 1");
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/a\\\"b\\\\c\\nd\xef\xbf\xbd"
			  "1b[2J\xef\xbf\xbd"
			  "ff\xc3\xa4\xef\xbf\xbd"
			  "00\xef\xbf\xbd"
			  "c2\xef\xbf\xbd"
			  "9b\"} 2");
	exporter__free(&e);
}

static void series_end_with_their_cgroups(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__cgroup(&e.f, "/one");
	fixture__cgroup(&e.f, "/two");
	fixture__cgroup(&e.f, "/idle");
	fixture__cgroup(&e.f, "/without-counter");
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__set(&e.f, 0, 0, 0, 10, MSEC, MSEC);
	fixture__set(&e.f, 0, 0, 1, 20, MSEC, MSEC);
	fixture__set(&e.f, 0, 0, 3, 0, MSEC, 0);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS),
		    "pstat_cgroup_cs_total{cgroup=\"/two\"} 20");
	e.f.subjects.list[1].state = SUBJECT_GONE;
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_none(text, "two");
	expect_none(text, "without-counter");
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/idle\"} 0");
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/one\"} 10");
	/* another cgroup gets the place */
	e.f.subjects.list[1].state = SUBJECT_LIVE;
	e.f.subjects.list[1].id = 5;
	free(e.f.subjects.list[1].name);
	e.f.subjects.list[1].name = strdup("/three");
	counts__zero_column(e.f.events[0], 1);
	fixture__set(&e.f, 0, 0, 1, 3, MSEC, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_none(text, "two");
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/three\"} 3");
	/* 1 ms each of /one, /two, /without-counter and /three */
	expect_line(text, "pstat_event_enabled_seconds_total{event=\"cs\"} 0.004");
	exporter__free(&e);
}

/* Implements export_config.exists. @ctx is the name of a subject that is gone. */
static bool is_not(const void *ctx, const struct subjects *subjects, const struct subject *subject)
{
	assert_ptr_equal(subjects->kind, &subject_cgroup);
	return strcmp(subject->name, ctx) != 0;
}

static void series_end_when_only_the_caller_knows_it(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__cgroup(&e.f, "/one");
	fixture__cgroup(&e.f, "/two");
	fixture__ready(&e.f, AGGR_GLOBAL);
	exporter__make(&e, (struct export_config){ .exists = is_not, .exists_ctx = "/two" });
	fixture__set(&e.f, 0, 0, 0, 10, MSEC, MSEC);
	fixture__set(&e.f, 0, 0, 1, 20, MSEC, MSEC);
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/one\"} 10");
	expect_none(text, "two");
	exporter__free(&e);
}

static void top_has_a_row_for_the_others(void **state)
{
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__faults(&e.f);
	for (int i = 0; i < 4; i++)
		fixture__cgroup(&e.f, (const char *[]){ "/a", "/b", "/c", "/d" }[i]);
	exporter__ready(&e, AGGR_GLOBAL, 1);
	for (int i = 0; i < 4; i++) {
		fixture__set(&e.f, 0, 0, i, i == 2 ? 100 : 10, MSEC, MSEC);
		fixture__set(&e.f, 1, 0, i, 5, MSEC, MSEC);
	}
	text = exporter__text(&e, FORMAT_OPENMETRICS);
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"/c\"} 100");
	expect_line(text, "pstat_cgroup_cs_total{cgroup=\"(other)\"} 30");
	expect_line(text, "pstat_cgroup_page_faults_total{cgroup=\"/c\"} 5");
	expect_line(text, "pstat_cgroup_page_faults_total{cgroup=\"(other)\"} 15");
	expect_none(text, "/a");
	exporter__free(&e);
}

static void subjects_with_equal_labels_have_one_series(void **state)
{
	struct exporter e;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	fixture__cgroup(&e.f, "/a");
	fixture__cgroup(&e.f, "a");
	exporter__ready(&e, AGGR_GLOBAL, 0);
	fixture__set(&e.f, 0, 0, 0, 1, MSEC, MSEC);
	fixture__set(&e.f, 0, 0, 1, 1, MSEC, MSEC);
	expect_line(exporter__text(&e, FORMAT_OPENMETRICS),
		    "pstat_cgroup_cs_total{cgroup=\"/a\"} 1");
	exporter__free(&e);
}

/* Makes BPF programs with a histogram of the first event. */
static void add_progs(struct exporter *e, struct hist_rows *hist)
{
	e->f.subjects.kind = &subject_prog;
	e->f.measurement.subjects = &e->f.subjects;
	assert_int_equal(subjects__add(&e->f.subjects, "one", 7, NULL), 0);
	exporter__ready(e, AGGR_GLOBAL, 0);
	e->f.run_cnt = counts__new(e->f.evlist->entries[0], e->f.cpus, 1);
	assert_non_null(e->f.run_cnt);
	hist->evsel = e->f.evlist->entries[0];
	assert_int_equal(hist_rows__widen(hist, 1), 0);
	e->f.measurement.hist = hist;
}

static void programs_have_runs_and_histograms(void **state)
{
	struct hist_rows hist = { 0 };
	struct exporter e;
	const char *text;

	(void)state;
	fixture__init(&e.f, "0");
	fixture__cs(&e.f);
	add_progs(&e, &hist);
	fixture__set(&e.f, 0, 0, 0, 25, MSEC, MSEC);
	counts__set(e.f.run_cnt, 0, 0, &(struct reading){ 3, MSEC, MSEC });
	hist.rows[0].total[5] = 2;  /* counts of 5 */
	hist.rows[0].total[15] = 1; /* a count of 15 */
	text = exporter__text(&e, FORMAT_OPENMETRICS);
#define LABELS "id=\"7\",name=\"one\",type=\"xdp\",tag=\"0000000000000007\""
	expect_line(text, "pstat_bpf_prog_cs_total{" LABELS "} 25");
	expect_line(text, "pstat_bpf_prog_runs_total{" LABELS "} 3");
	expect_line(text, "# TYPE pstat_bpf_prog_run_cs histogram");
	expect_line(text, "pstat_bpf_prog_run_cs_bucket{" LABELS ",le=\"15.0\"} 3");
	expect_line(text, "pstat_bpf_prog_run_cs_bucket{" LABELS ",le=\"+Inf\"} 3");
	expect_line(text, "pstat_bpf_prog_run_cs_count{" LABELS "} 3");
	expect_line(text, "pstat_bpf_prog_run_cs_sum{" LABELS "} 25");
	/* the program was loaded again: its counts continue in the same column */
	e.f.subjects.list[0].id = 8;
	fixture__set(&e.f, 0, 0, 0, 65, MSEC, MSEC);
	counts__set(e.f.run_cnt, 0, 0, &(struct reading){ 4, MSEC, MSEC });
	hist.rows[0].total[PROG_HIST_LINEAR] = 1;
	text = exporter__text(&e, FORMAT_OPENMETRICS);
#undef LABELS
#define LABELS "id=\"8\",name=\"one\",type=\"xdp\",tag=\"0000000000000008\""
	expect_none(text, "id=\"7\"");
	expect_line(text, "pstat_bpf_prog_cs_total{" LABELS "} 40");
	expect_line(text, "pstat_bpf_prog_runs_total{" LABELS "} 1");
	expect_line(text, "pstat_bpf_prog_run_cs_bucket{" LABELS ",le=\"15.0\"} 0");
	expect_line(text, "pstat_bpf_prog_run_cs_bucket{" LABELS ",le=\"31.0\"} 1");
	expect_line(text, "pstat_bpf_prog_run_cs_count{" LABELS "} 1");
	expect_line(text, "pstat_bpf_prog_run_cs_sum{" LABELS "} 40");
	hist_rows__reset(&hist);
	exporter__free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_have_the_same_samples),
		cmocka_unit_test(what_was_not_counted_is_absent_and_has_a_reason),
		cmocka_unit_test(counts_are_scaled_and_never_decrease),
		cmocka_unit_test(each_cpu_has_a_label),
		cmocka_unit_test(cgroups_have_ids_and_escaped_names),
		cmocka_unit_test(series_end_with_their_cgroups),
		cmocka_unit_test(series_end_when_only_the_caller_knows_it),
		cmocka_unit_test(top_has_a_row_for_the_others),
		cmocka_unit_test(subjects_with_equal_labels_have_one_series),
		cmocka_unit_test(programs_have_runs_and_histograms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
