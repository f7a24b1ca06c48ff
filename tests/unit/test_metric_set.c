// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a list of metrics to events, and from counts to metrics in rows, on a machine without a PMU.
 */
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <math.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/parse-events.h"
#include "util/machine/machine-view.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

static const struct sysroots nowhere = { "/nonexistent", "/nonexistent", "/nonexistent" };
static const struct event_env events = { .roots = &nowhere };
static const struct machine_view machine = { .roots = &nowhere };

static const struct metric_def defs[] = {
	{ .name = "t_one", .groups = "T;T1", .expr = "cs" },
	{ .name = "t_two", .groups = "T; T2", .expr = "cs / faults", .scale = "100%" },
	{ .name = "t_clock",
	  .groups = "T",
	  .expr = "task\\-clock / (duration_time * 1e9)",
	  .threshold = "t_clock > 0.5" },
	{ .name = "t_clocks",
	  .expr = "task\\-clock / 2",
	  .scale = "1e-6ms",
	  .threshold = "t_clocks > 1e6 & migrations > 3" },
	{ .name = "t_loose",
	  .groups = "L",
	  .expr = "faults + migrations",
	  .grouping = METRIC_NO_GROUP },
	{ .name = "t_loose2", .groups = "L", .expr = "faults - cs", .no_group_for = "x;L" },
	{ .name = "t_const", .expr = "6 * 7", .scale = "1" },
	{ .name = "t_user", .expr = "user_time" },
	{ .name = "t_cycles", .expr = "cycles / instructions" },
	{ .name = "t_bad", .expr = "nosuchevent + cs" },
	{ .name = "t_several", .expr = "cs\\,faults + minor\\-faults" },
	{ .name = "t_wrong", .expr = "cs + + 1" },
	{ .name = "t_ref", .expr = "t_two * 2 + t_one" },
};

static struct metric_table *table(void)
{
	struct metric_table *t = metric_table__new();

	assert_non_null(t);
	for (size_t i = 0; i < sizeof(defs) / sizeof(defs[0]); i++)
		assert_int_equal(metric_table__add(t, &defs[i]), 0);
	return t;
}

/* Adds the events to @text as a list: groups are in braces, and weak groups end with W. */
static void describe(const struct evlist *evlist, struct strbuf *text)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel) {
		const struct evsel *next =
			evsel->idx + 1 < evlist->nr ? evlist->entries[evsel->idx + 1] : NULL;
		bool grouped = evsel->leader->weak_group;

		strbuf__addf(text, "%s%s%s", evsel->idx ? "," : "",
			     grouped && evsel->leader == evsel ? "{" : "", evsel->name);
		if (grouped && (!next || next->leader != evsel->leader))
			strbuf__adds(text, "}:W");
	}
}

static const struct {
	const char *list;
	const char *options; /* g: no groups, m: no merging, t: no thresholds */
	const char *events;
} choices[] = {
	{ "t_one", "", "{cs}:W" },
	{ "T_ONE", "", "{cs}:W" },
	{ "t_one,t_one", "", "{cs}:W" },
	{ "t_two", "", "{faults,cs}:W" },
	{ "t_one,t_two", "", "{faults,cs}:W" },
	{ "t_two,t_one", "", "{faults,cs}:W" },
	{ "t_one,t_two", "m", "{faults,cs}:W,{cs}:W" },
	{ "t_one,t_two", "g", "faults,cs" },
	{ "t_one,t_two", "gm", "faults,cs,cs" },
	{ "T", "", "{faults,cs}:W,duration_time,{task-clock}:W,duration_time" },
	{ "T", "m", "{faults,cs}:W,{cs}:W,{task-clock}:W,duration_time" },
	{ "T", "g", "task-clock,faults,cs,duration_time" },
	{ "T2", "", "{faults,cs}:W" },
	{ "T1,T2", "", "{faults,cs}:W" },
	{ "t_two:u", "", "{faults:u,cs:u}:W" },
	{ "t_two:u,t_one", "", "{faults:u,cs:u}:W,{cs}:W" },
	{ "t_clock:u", "", "{task-clock:u}:W,duration_time" },
	{ "t_clocks", "", "{task-clock,migrations}:W" },
	{ "t_clocks", "t", "{task-clock}:W" },
	{ "L", "", "migrations,faults,cs" },
	{ "t_loose2", "", "{faults,cs}:W" },
	{ "t_loose,t_two", "", "faults,migrations,{faults,cs}:W" },
	{ "t_const", "", "duration_time" },
	{ "t_ref", "", "{faults,cs}:W" },
	{ "ipc", "", "{instructions,cycles}:W" },
	{ "ipc,cpi,ghz", "", "{task-clock,cycles}:W,{instructions,cycles}:W" },
	{ "kernel_cycle_share", "", "{cycles:u,cycles:k}:W" },
};

static int choose(const char *list, const char *options, struct evlist *evlist,
		  struct metric_set **set, struct strbuf *why, struct metric_table *t)
{
	struct metric_set_config config = {
		.table = t,
		.machine = &machine,
		.events = &events,
		.no_group = strchr(options, 'g'),
		.no_merge = strchr(options, 'm'),
		.no_threshold = strchr(options, 't'),
	};

	return metric_set__new(&config, list, evlist, set, why);
}

static void metrics_take_events_in_weak_groups_and_share_them(void **state)
{
	struct metric_table *t = table();

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct strbuf why = STRBUF_INIT, text = STRBUF_INIT;
		struct evlist *evlist = evlist__new();
		struct metric_set *set;
		int err = choose(choices[i].list, choices[i].options, evlist, &set, &why, t);

		if (err)
			print_error("%s: %s\n", choices[i].list, why.text);
		assert_int_equal(err, 0);
		describe(evlist, &text);
		if (strcmp(text.text, choices[i].events))
			print_error("%s (%s)\n", choices[i].list, choices[i].options);
		assert_string_equal(text.text, choices[i].events);
		metric_set__free(set);
		evlist__free(evlist);
		strbuf__free(&text);
		strbuf__free(&why);
	}
	metric_table__free(t);
}

static void metrics_that_do_not_exist_are_reported_and_add_no_events(void **state)
{
	static const struct {
		const char *list;
		int err;
		const char *why;
	} rows[] = {
		{ "t_nothing", -ENOENT, "Cannot find metric or group `t_nothing'" },
		{ "t_oen", -ENOENT, "Cannot find metric or group `t_oen'\ndid you mean: t_one" },
		{ "t_one,nothing,t_two", -ENOENT, "Cannot find metric or group `nothing'" },
		{ "", -ENOENT, "Cannot find metric or group `'" },
		{ "t_one,", -ENOENT, "Cannot find metric or group `'" },
		{ "t_bad", -EINVAL,
		  "metric t_bad: its events cannot be counted here\nevent syntax error: '" },
		{ "t_one,t_bad", -EINVAL, "nosuchevent" },
		{ "t_several", -EINVAL,
		  "metric t_several: one of the names in its expression stands for several "
		  "events" },
		{ "t_wrong", -EINVAL, "metric t_wrong: expected a value, but found '+'" },
		{ "t_one:Z", -EINVAL, "unknown modifier 'Z'" },
	};
	struct metric_table *t = table();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strbuf why = STRBUF_INIT;
		struct evlist *evlist = evlist__new();
		struct parse_error error = PARSE_ERROR_INIT;
		struct metric_set *set;

		assert_int_equal(parse_events(evlist, "cs", &events, &error), 0);
		assert_int_equal(choose(rows[i].list, "", evlist, &set, &why, t), rows[i].err);
		if (!strstr(why.text, rows[i].why))
			print_error("%s: %s\n", rows[i].list, why.text);
		assert_non_null(strstr(why.text, rows[i].why));
		assert_null(set);
		assert_int_equal(evlist->nr, 1);
		parse_error__free(&error);
		evlist__free(evlist);
		strbuf__free(&why);
	}
	metric_table__free(t);
}

static void every_metric_of_pstat_itself_finds_its_events_on_any_machine(void **state)
{
	struct metric_table *t = metric_table__new();
	struct strbuf why = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	struct metric_set *set;

	(void)state;
	assert_true(metric_table__nr(t) >= 30);
	for (int i = 0; i < metric_table__nr(t); i++) {
		const struct metric_def *def = metric_table__get(t, i);

		assert_non_null(def->desc);
		assert_non_null(def->groups);
	}
	assert_int_equal(choose("all", "", evlist, &set, &why, t), 0);
	metric_set__free(set);
	evlist__free(evlist);
	strbuf__free(&why);
	metric_table__free(t);
}

/* ---- values ---- */

/* A report of metrics. set_up() makes the events that the metrics need. */
struct report_of_metrics {
	struct fixture f;
	struct metric_table *table;
	struct metric_set *set;
};

static void set_up(struct report_of_metrics *r, const char *list, const char *cpus,
		   enum aggr_mode mode)
{
	struct strbuf why = STRBUF_INIT;

	r->table = table();
	fixture__init(&r->f, cpus);
	assert_int_equal(choose(list, "", r->f.evlist, &r->set, &why, r->table), 0);
	r->f.config.metrics = r->set;
	fixture__ready(&r->f, mode);
	strbuf__free(&why);
}

static void tear_down(struct report_of_metrics *r)
{
	fixture__free(&r->f);
	metric_set__free(r->set);
	metric_table__free(r->table);
}

static void make_rows(struct report_of_metrics *r, double wall_ns)
{
	fixture__add_run(&r->f, wall_ns);
	assert_int_equal(report__rows(r->f.report, &r->f.rows), 0);
}

static const struct row_metric *metric_of(const struct report_of_metrics *r, const char *unit)
{
	for (int i = 0; i < r->f.rows.nr; i++)
		for (int j = 0; j < r->f.rows.rows[i].nr_metrics; j++)
			if (!strcmp(r->f.rows.rows[i].metrics[j].unit, unit))
				return &r->f.rows.rows[i].metrics[j];
	print_error("no metric %s\n", unit);
	assert_true(false);
	return NULL;
}

static void expect_metric(const struct report_of_metrics *r, const char *unit, double value,
			  int decimals)
{
	const struct row_metric *metric = metric_of(r, unit);

	assert_true(metric->asked_for);
	assert_true(metric->has_value);
	assert_true(fabs(metric->value - value) <= 1e-9 * fabs(value));
	assert_int_equal(metric->decimals, decimals);
	assert_int_equal(metric->width, 8);
}

static void metrics_have_values_and_units(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_one,t_two,t_ref", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 40, 1000); /* faults */
	fixture__count(&r.f, 1, 30, 1000); /* cs */
	make_rows(&r, 1e9);
	expect_metric(&r, "t_one", 30, 2);
	expect_metric(&r, "%  t_two", 75, 1);
	expect_metric(&r, "t_ref", 31.5, 2);
	assert_int_equal(r.f.rows.nr, 2);
	assert_int_equal(r.f.rows.rows[0].nr_metrics, 2);
	tear_down(&r);
}

static void clocks_are_ns_and_the_wall_clock_is_seconds(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_clock,t_clocks", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 1500000000, 1000); /* task-clock, migrations */
	fixture__count(&r.f, 1, 3, 1000);
	for (int i = 2; i < r.f.evlist->nr; i++)
		fixture__count(&r.f, i, 12345, 1000);
	make_rows(&r, 2e9);
	expect_metric(&r, "t_clock", 0.75, 2);
	expect_metric(&r, "ms  t_clocks", 750, 1);
	assert_int_equal(metric_of(&r, "t_clock")->level, METRIC_BAD);
	assert_int_equal(metric_of(&r, "ms  t_clocks")->level, METRIC_GOOD);
	tear_down(&r);
}

static int nr_metrics(const struct report_of_metrics *r)
{
	int nr = 0;

	for (int i = 0; i < r->f.rows.nr; i++)
		for (int j = 0; j < r->f.rows.rows[i].nr_metrics; j++)
			nr += r->f.rows.rows[i].metrics[j].asked_for;
	return nr;
}

static void a_constant_is_shown_only_without_other_metrics(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_const", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 12345, 1000);
	make_rows(&r, 2e9);
	expect_metric(&r, "  t_const", 42, 1);
	assert_int_equal(metric_of(&r, "  t_const")->level, METRIC_PLAIN);
	tear_down(&r);

	set_up(&r, "t_const,t_one", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 30, 1000);
	make_rows(&r, 2e9);
	expect_metric(&r, "t_one", 30, 2);
	assert_int_equal(nr_metrics(&r), 1);
	tear_down(&r);
}

static void each_cpu_has_its_own_values_and_the_same_wall_clock(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_clock", "0-1", AGGR_NONE);
	fixture__set(&r.f, 0, 0, 0, 500000000, 1000, 1000);
	fixture__set(&r.f, 0, 1, 0, 250000000, 1000, 1000);
	make_rows(&r, 1e9);
	assert_true(r.f.rows.rows[0].metrics[1].value == 0.5);
	assert_true(r.f.rows.rows[1].metrics[1].value == 0.25);
	assert_int_equal(r.f.rows.rows[0].metrics[1].level, METRIC_GOOD);
	tear_down(&r);
}

static void a_metric_of_uncounted_events_has_no_value_and_no_verdict(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_two,t_clock", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 30, 1000);
	fixture__set(&r.f, 1, 0, 0, 0, 1000, 0); /* faults never ran */
	make_rows(&r, 1e9);
	assert_false(metric_of(&r, "%  t_two")->has_value);
	assert_true(metric_of(&r, "%  t_two")->asked_for);
	assert_true(metric_of(&r, "%  t_two")->value == 0.0);
	tear_down(&r);

	set_up(&r, "t_cycles", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 30, 1000);
	counts__set_unsupported(r.f.events[1], -ENOENT, NULL);
	make_rows(&r, 1e9);
	assert_false(metric_of(&r, "t_cycles")->has_value);
	assert_int_equal(metric_of(&r, "t_cycles")->level, METRIC_PLAIN);
	tear_down(&r);
}

static void division_by_a_count_of_zero_has_no_value(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_two", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 0, 1000); /* faults */
	fixture__count(&r.f, 1, 30, 1000);
	make_rows(&r, 1e9);
	assert_false(metric_of(&r, "%  t_two")->has_value);
	tear_down(&r);
}

static void a_tool_event_of_zero_is_shown_for_its_metric(void **state)
{
	struct report_of_metrics r;

	(void)state;
	set_up(&r, "t_user", NULL, AGGR_GLOBAL);
	fixture__count(&r.f, 0, 0, 1000);
	make_rows(&r, 1e9);
	assert_int_equal(r.f.rows.nr, 1);
	fixture__count(&r.f, 0, 250000000, 1000);
	report__reset(r.f.report);
	make_rows(&r, 1e9);
	expect_metric(&r, "t_user", 0.25, 2);
	tear_down(&r);
}

static void each_cgroup_has_its_own_values(void **state)
{
	struct strbuf why = STRBUF_INIT;
	struct report_of_metrics r;

	(void)state;
	r.table = table();
	fixture__init(&r.f, NULL);
	assert_int_equal(choose("t_two", "", r.f.evlist, &r.set, &why, r.table), 0);
	fixture__cgroup(&r.f, "a");
	fixture__cgroup(&r.f, "b");
	r.f.config.metrics = r.set;
	fixture__ready(&r.f, AGGR_GLOBAL);
	fixture__set(&r.f, 0, 0, 0, 2, 1000, 1000); /* faults, cs */
	fixture__set(&r.f, 1, 0, 0, 1, 1000, 1000);
	fixture__set(&r.f, 0, 0, 1, 4, 1000, 1000);
	fixture__set(&r.f, 1, 0, 1, 1, 1000, 1000);
	make_rows(&r, 1e9);
	assert_int_equal(r.f.rows.nr, 4);
	assert_true(r.f.rows.rows[0].metrics[0].value == 50.0);
	assert_int_equal(r.f.rows.rows[1].nr_metrics, 0);
	assert_true(r.f.rows.rows[2].metrics[0].value == 25.0);
	tear_down(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_take_events_in_weak_groups_and_share_them),
		cmocka_unit_test(metrics_that_do_not_exist_are_reported_and_add_no_events),
		cmocka_unit_test(every_metric_of_pstat_itself_finds_its_events_on_any_machine),
		cmocka_unit_test(metrics_have_values_and_units),
		cmocka_unit_test(clocks_are_ns_and_the_wall_clock_is_seconds),
		cmocka_unit_test(a_constant_is_shown_only_without_other_metrics),
		cmocka_unit_test(each_cpu_has_its_own_values_and_the_same_wall_clock),
		cmocka_unit_test(a_metric_of_uncounted_events_has_no_value_and_no_verdict),
		cmocka_unit_test(division_by_a_count_of_zero_has_no_value),
		cmocka_unit_test(a_tool_event_of_zero_is_shown_for_its_metric),
		cmocka_unit_test(each_cgroup_has_its_own_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
