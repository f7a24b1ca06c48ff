// SPDX-License-Identifier: GPL-2.0-only
/*
 * Subjects: how columns are added to counts, and how a report and the three formats show them, for
 * programs and for programs in cgroups.
 */
#include "tests/unit/stat-fixture.h"

#include <errno.h>

#include "util/count/subjects.h"
#include "util/machine/cgroup/cgroup.h"

struct progs_fixture {
	struct fixture f;
	struct subjects progs;
	struct evsel *run_cnt;
};

static void add_prog(struct progs_fixture *p, const char *name, uint32_t id)
{
	int row = subjects__add_parts(&p->progs, name, id);

	assert_int_equal(row, p->progs.nr - 1);
	assert_int_equal(counts__widen(p->f.events[0], p->progs.nr), 0);
	if (p->f.run_cnt)
		assert_int_equal(counts__widen(p->f.run_cnt, p->progs.nr), 0);
}

/* cs and duration_time, on two CPUs. */
static void init(struct progs_fixture *p, enum aggr_mode mode)
{
	struct aggr_map *aggr;
	struct evsel *wall;

	memset(p, 0, sizeof(*p));
	fixture__init(&p->f, "0-1");
	fixture__cs(&p->f);
	wall = fixture__event(&p->f, "duration_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	wall->tool = TOOL_DURATION_TIME;
	aggr = aggr_map__new(mode, p->f.cpus, NULL);
	assert_non_null(aggr);
	p->progs.kind = &subject_prog;
	p->f.measurement.subjects = &p->progs;
	fixture__ready_map(&p->f, aggr);
	p->run_cnt = evsel__new();
	assert_non_null(p->run_cnt);
	p->run_cnt->tool = TOOL_RUN_CNT;
	p->f.run_cnt = counts__new(p->run_cnt, p->f.cpus, 1);
	assert_non_null(p->f.run_cnt);
}

static void end(struct progs_fixture *p)
{
	fixture__free(&p->f);
	subjects__free(&p->progs);
	evsel__free(p->run_cnt);
}

static void count(struct progs_fixture *p, int prog, int cpu, uint64_t cs, uint64_t runs)
{
	fixture__set(&p->f, 0, cpu, prog, cs, 1000, 1000);
	counts__set(p->f.run_cnt, cpu, prog, &(struct reading){ runs, 1000, 1000 });
}

static void expect_row(const struct progs_fixture *p, int row, const char *prog, uint32_t id,
		       const char *event, double value)
{
	const struct stat_row *found = &p->f.rows.rows[row];

	assert_true(row < p->f.rows.nr);
	assert_string_equal(found->id.subject, prog);
	assert_int_equal(found->id.subject_id, id);
	assert_string_equal(found->event, event);
	assert_true(found->value == value);
}

static void counts_keep_their_values_when_columns_are_added(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one", 1);
	count(&p, 0, 0, 5, 1);
	count(&p, 0, 1, 7, 1);
	fixture__mark(&p.f);
	count(&p, 0, 1, 9, 1);
	add_prog(&p, "two", 2);
	assert_int_equal(counts__total(p.f.events[0], 0, 0).value, 5);
	assert_int_equal(counts__total(p.f.events[0], 1, 0).value, 9);
	assert_int_equal(counts__delta(p.f.events[0], 1, 0).value, 2);
	assert_int_equal(counts__total(p.f.events[0], 0, 1).value, 0);
	assert_int_equal(counts__total(p.f.events[0], 1, 1).enabled, 0);
	end(&p);
}

static void a_program_that_is_loaded_later_has_a_row_after_the_others(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 0);
	add_prog(&p, "one", 11);
	count(&p, 0, 0, 5, 2);
	count(&p, 0, 1, 7, 4);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 1);
	expect_row(&p, 0, "one", 11, "cs", 12);
	assert_string_equal(p.f.rows.rows[0].metrics[0].unit, "per run");
	assert_true(p.f.rows.rows[0].metrics[0].value == 2.0);
	assert_int_equal(p.f.rows.prog_width, 3);
	add_prog(&p, "second", 12);
	count(&p, 1, 0, 100, 1);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 2);
	expect_row(&p, 0, "one", 11, "cs", 12);
	expect_row(&p, 1, "second", 12, "cs", 100);
	assert_true(p.f.rows.rows[1].metrics[0].value == 100.0);
	assert_int_equal(p.f.rows.prog_width, 6);
	end(&p);
}

static void a_row_shows_the_id_of_the_last_program_in_it(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one", 11);
	count(&p, 0, 0, 5, 2);
	p.progs.list[0].id = 44;
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	expect_row(&p, 0, "one", 44, "cs", 5);
	end(&p);
}

static void a_program_that_comes_in_a_later_run_counted_nothing_in_earlier_runs(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one", 1);
	count(&p, 0, 0, 10, 1);
	fixture__set(&p.f, 1, 0, 0, 1000, 1000, 1000);
	for (int run = 0; run < 2; run++)
		assert_int_equal(fixture__add_run(&p.f, 1e9), 0);
	add_prog(&p, "two", 2);
	count(&p, 0, 0, 40, 4);
	count(&p, 1, 0, 1200, 10);
	fixture__set(&p.f, 1, 0, 0, 4000, 4000, 4000);
	assert_int_equal(fixture__add_run(&p.f, 1e9), 0);
	assert_int_equal(report__rows(p.f.report, &p.f.rows), 0);
	expect_row(&p, 0, "one", 1, "cs", 20);
	assert_true(p.f.rows.rows[0].metrics[0].value == 10.0);
	expect_row(&p, 1, "one", 1, "duration_time", 2000);
	expect_row(&p, 2, "two", 2, "cs", 400);
	assert_string_equal(p.f.rows.rows[2].metrics[0].unit, "per run");
	assert_true(p.f.rows.rows[2].metrics[0].value == 120.0);
	assert_true(p.f.rows.rows[2].noise > 99.9 && p.f.rows.rows[2].noise < 100.1);
	expect_row(&p, 3, "two", 2, "duration_time", 2000);
	end(&p);
}

static void runs_are_those_in_which_the_event_was_open(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one", 1);
	for (int run = 0; run < 3; run++) {
		counts__reset(p.f.events[0]);
		count(&p, 0, 0, 100, 10);
		if (run == 1)
			counts__set_unsupported(p.f.events[0], -ENOENT, NULL);
		else
			count(&p, 0, 0, 100, 10 + (uint64_t)run * 15);
		assert_int_equal(fixture__add_run(&p.f, 1e9), 0);
	}
	add_prog(&p, "two", 2);
	count(&p, 1, 0, 300, 3);
	assert_int_equal(fixture__add_run(&p.f, 1e9), 0);
	assert_int_equal(report__rows(p.f.report, &p.f.rows), 0);
	/* the mean of three repetitions, in which the program ran 10, 40 and 40 times */
	expect_row(&p, 0, "one", 1, "cs", 100);
	assert_true(p.f.rows.rows[0].metrics[0].value > 3.333 &&
		    p.f.rows.rows[0].metrics[0].value < 3.334);
	expect_row(&p, 1, "two", 2, "cs", 100);
	assert_true(p.f.rows.rows[1].metrics[0].value == 100.0);
	end(&p);
}

static void each_program_has_all_aggregates_of_the_mode(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_NONE);
	add_prog(&p, "one", 1);
	add_prog(&p, "two", 2);
	for (int prog = 0; prog < 2; prog++)
		for (int cpu = 0; cpu < 2; cpu++)
			count(&p, prog, cpu, (uint64_t)(1 + 10 * prog + cpu), 1);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 4);
	for (int row = 0; row < 4; row++) {
		expect_row(&p, row, row < 2 ? "one" : "two", row < 2 ? 1 : 2, "cs [software]",
			   1 + 10 * (row / 2) + row % 2);
		assert_int_equal(p.f.rows.rows[row].id.cpu, row % 2);
	}
	end(&p);
}

static void each_program_has_the_wall_time(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one", 1);
	add_prog(&p, "two", 2);
	count(&p, 1, 0, 3, 1);
	fixture__set(&p.f, 1, 0, 0, 5000, 5000, 5000);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 4);
	expect_row(&p, 1, "one", 1, "duration_time", 5000);
	expect_row(&p, 3, "two", 2, "duration_time", 5000);
	end(&p);
}

/* ---- programs in cgroups ---- */

static void a_program_has_a_subject_for_each_cgroup(void **state)
{
	struct cgroup a = { .name = (char *)"a" }, b = { .name = (char *)"b" },
		      *cgroups[] = { &a, &b };
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	p.progs.cgroups = cgroups;
	p.progs.nr_cgroups = 2;
	assert_int_equal(subjects__add_parts(&p.progs, "one", 1), 0);
	assert_int_equal(subjects__add_parts(&p.progs, "two", 2), 1);
	assert_int_equal(p.progs.nr, 4);
	assert_int_equal(counts__widen(p.f.events[0], 4), 0);
	assert_int_equal(counts__widen(p.f.run_cnt, 4), 0);
	for (int subject = 0; subject < 4; subject++)
		count(&p, subject, 0, (uint64_t)(10 + subject), 1);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 4);
	for (int subject = 0; subject < 4; subject++) {
		expect_row(&p, subject, subject < 2 ? "one" : "two", subject < 2 ? 1 : 2, "cs",
			   10 + subject);
		assert_string_equal(p.f.rows.rows[subject].cgroup, subject % 2 ? "b" : "a");
	}
	end(&p);
}

static void show_largest(struct progs_fixture *p, int top, bool hide_zero)
{
	p->f.config.top = top;
	p->f.config.hide_zero = hide_zero;
	report__free(p->f.report);
	p->f.report = report__new(&p->f.config);
	assert_non_null(p->f.report);
}

static void the_largest_cgroup_is_the_same_for_all_programs(void **state)
{
	struct cgroup a = { .name = (char *)"a" }, b = { .name = (char *)"b" },
		      *cgroups[] = { &a, &b };
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	show_largest(&p, 1, false);
	p.progs.cgroups = cgroups;
	p.progs.nr_cgroups = 2;
	assert_int_equal(subjects__add_parts(&p.progs, "one", 1), 0);
	assert_int_equal(subjects__add_parts(&p.progs, "two", 2), 1);
	assert_int_equal(counts__widen(p.f.events[0], 4), 0);
	assert_int_equal(counts__widen(p.f.run_cnt, 4), 0);
	count(&p, 0, 0, 50, 1); /* one program in a */
	count(&p, 3, 0, 60, 1); /* two programs in b */
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 2);
	expect_row(&p, 0, "one", 1, "cs", 0);
	expect_row(&p, 1, "two", 2, "cs", 60);
	assert_string_equal(p.f.rows.rows[0].cgroup, "b");
	end(&p);
}

static void the_largest_programs_come_first(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	show_largest(&p, 2, false);
	for (int prog = 0; prog < 3; prog++)
		assert_int_equal(subjects__add_parts(&p.progs, "prog", prog + 1), prog);
	assert_int_equal(counts__widen(p.f.events[0], 3), 0);
	assert_int_equal(counts__widen(p.f.run_cnt, 3), 0);
	count(&p, 0, 0, 50, 1);
	count(&p, 1, 0, 7, 1);
	count(&p, 2, 0, 60, 1);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 2);
	expect_row(&p, 0, "prog", 3, "cs", 60);
	expect_row(&p, 1, "prog", 1, "cs", 50);
	end(&p);
}

static void the_largest_program_is_one_that_ran(void **state)
{
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	show_largest(&p, 1, true);
	for (int prog = 0; prog < 3; prog++)
		assert_int_equal(subjects__add_parts(&p.progs, "prog", prog + 1), prog);
	assert_int_equal(counts__widen(p.f.events[0], 3), 0);
	assert_int_equal(counts__widen(p.f.run_cnt, 3), 0);
	count(&p, 0, 0, 0, 0);
	count(&p, 1, 0, 0, 4); /* cs did not occur in its runs */
	count(&p, 2, 0, 0, 0);
	fixture__set(&p.f, 1, 0, 0, 5000, 5000, 5000); /* each program has the wall time */
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 2);
	expect_row(&p, 0, "prog", 2, "cs", 0);
	expect_row(&p, 1, "prog", 2, "duration_time", 5000);
	end(&p);
}

static void the_largest_cgroup_is_one_in_which_a_program_ran(void **state)
{
	struct cgroup a = { .name = (char *)"a" }, b = { .name = (char *)"b" },
		      *cgroups[] = { &a, &b };
	struct progs_fixture p;

	(void)state;
	init(&p, AGGR_GLOBAL);
	show_largest(&p, 1, true);
	p.progs.cgroups = cgroups;
	p.progs.nr_cgroups = 2;
	assert_int_equal(subjects__add_parts(&p.progs, "one", 1), 0);
	assert_int_equal(subjects__add_parts(&p.progs, "two", 2), 1);
	assert_int_equal(counts__widen(p.f.events[0], 4), 0);
	assert_int_equal(counts__widen(p.f.run_cnt, 4), 0);
	for (int subject = 0; subject < 4; subject++)
		count(&p, subject, 0, 0, 0);
	count(&p, 3, 0, 0, 1); /* a run of two in b */
	fixture__set(&p.f, 1, 0, 0, 5000, 5000, 5000);
	assert_int_equal(fixture__read_interval(&p.f, 1e9), 0);
	assert_int_equal(p.f.rows.nr, 4);
	for (int row = 0; row < 4; row++)
		assert_string_equal(p.f.rows.rows[row].cgroup, "b");
	end(&p);
}

/* ---- formats ---- */

static void expect_text(const struct output_format *format, const char *text)
{
	struct timespec second = { .tv_sec = 1 };
	struct progs_fixture p;
	struct sink s;

	init(&p, AGGR_GLOBAL);
	add_prog(&p, "one,\"1\"", 7);
	add_prog(&p, "a_long_name\n", 4294967295);
	count(&p, 0, 0, 3, 0);
	sink__open(&s, (struct output_config){ .format = format,
					       .subject_column = "prog",
					       .subject_id_column = "prog-id" });
	fixture__write_interval(&p.f, s.output, second, 1e9);
	sink__expect(&s, text);
	end(&p);
}

static void text_reports_have_columns_for_the_id_and_the_name(void **state)
{
	(void)state;
	expect_text(&output_std,
		    "#           time     id prog                     counts unit events\n"
		    "     1.000000000      7 one,\"1\"                       3      cs             "
		    "                  "
		    "                                     \n"
		    "     1.000000000 4294967295 a_long_name?      <not counted>      cs           "
		    "                    "
		    "                                     \n");
}

static void csv_has_two_additional_fields(void **state)
{
	(void)state;
	expect_text(&output_csv,
		    "1.000000000,7,\"one,\"\"1\"\"\",3,,cs,1000,100.00,,\n"
		    "1.000000000,4294967295,\"a_long_name\n\",<not counted>,,cs,0,100.00,,\n");
}

static void json_has_two_additional_keys(void **state)
{
	(void)state;
	expect_text(&output_json,
		    "{\"interval\" : 1.000000000, \"prog-id\" : 7, \"prog\" : \"one,\\\"1\\\"\", "
		    "\"counter-value\" : "
		    "\"3.000000\", \"unit\" : \"\", \"event\" : \"cs\", \"event-runtime\" : 1000, "
		    "\"pcnt-running\" : "
		    "100.00, \"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n"
		    "{\"interval\" : 1.000000000, \"prog-id\" : 4294967295, \"prog\" : "
		    "\"a_long_name\\n\", "
		    "\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cs\", "
		    "\"event-runtime\" : 0, "
		    "\"pcnt-running\" : 100.00, \"metric-value\" : \"0.000000\", \"metric-unit\" : "
		    "\"\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_keep_their_values_when_columns_are_added),
		cmocka_unit_test(a_program_that_is_loaded_later_has_a_row_after_the_others),
		cmocka_unit_test(a_row_shows_the_id_of_the_last_program_in_it),
		cmocka_unit_test(
			a_program_that_comes_in_a_later_run_counted_nothing_in_earlier_runs),
		cmocka_unit_test(runs_are_those_in_which_the_event_was_open),
		cmocka_unit_test(each_program_has_all_aggregates_of_the_mode),
		cmocka_unit_test(each_program_has_the_wall_time),
		cmocka_unit_test(a_program_has_a_subject_for_each_cgroup),
		cmocka_unit_test(the_largest_cgroup_is_the_same_for_all_programs),
		cmocka_unit_test(the_largest_programs_come_first),
		cmocka_unit_test(the_largest_program_is_one_that_ran),
		cmocka_unit_test(the_largest_cgroup_is_one_in_which_a_program_ran),
		cmocka_unit_test(text_reports_have_columns_for_the_id_and_the_name),
		cmocka_unit_test(csv_has_two_additional_fields),
		cmocka_unit_test(json_has_two_additional_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
