// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of the event parser that a table of strings cannot express: the state after a failure,
 * limits, and pointers between events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/unit/machine-files.h"
#include "tests/unit/show-events.h"
#include "tests/unit/test_event_roots.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/machine/pmu/pmus.h"

static struct fake_roots server, bare;

struct row {
	const char *text, *expected;
};

static void check(const struct fake_roots *fake, const struct row *row)
{
	struct event_env env = { .roots = &fake->roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf got = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	int err = parse_events(evlist, row->text, &env, &error);

	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_int_equal(evlist->nr, 0);
		strbuf__addf(&got, "%zu: %s", error.column, error.reason.text);
	} else {
		assert_false(parse_error__is_set(&error));
		show_events(&got, evlist);
	}
	if (strcmp(got.text, row->expected))
		print_error("for '%s':\n", row->text);
	assert_string_equal(got.text, row->expected);
	strbuf__free(&got);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_missing_tracefs_is_reported(void **state)
{
	char expected[256];
	struct row row = { "sched:sched_switch", expected };

	(void)state;
	snprintf(expected, sizeof(expected),
		 "0: tracepoints are not available in %s (No such file or directory): mount -t "
		 "tracefs tracefs %s",
		 bare.tracefs, bare.tracefs);
	check(&bare, &row);
}

static void test_run_cnt_is_known_when_a_program_is_profiled(void **state)
{
	struct event_env env = { .roots = &server.roots, .bpf_prog = true };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "run_cnt,cs", &env, &error), 0);
	assert_int_equal(evlist->entries[0]->tool, TOOL_RUN_CNT);
	assert_string_equal(evlist->entries[0]->unit, "");
	assert_int_equal(evlist->entries[1]->tool, TOOL_NONE);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_names_of_generic_events_and_given_names_are_marked(void **state)
{
	static const struct {
		const char *text;
		int generic_hw;
		bool name_given;
	} rows[] = {
		{ "cpu/cpu-cycles/", PERF_COUNT_HW_CPU_CYCLES, false },
		{ "cpu/cache-misses,name=x/u", PERF_COUNT_HW_CACHE_MISSES, true },
		{ "cpu/event=0x3c/", -1, false },
		{ "cpu/inst_retired/", -1, false },
		{ "cycles/name=y/", -1, false },
		{ "r1a/name=y/", -1, false },
		{ "cs", -1, false },
	};
	struct parse_error error = PARSE_ERROR_INIT;
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };

	(void)state;
	fake_roots__load(&fake, "server");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evlist *evlist = evlist__new();

		assert_int_equal(parse_events(evlist, rows[i].text, &env, &error), 0);
		assert_int_equal(evlist->entries[0]->generic_hw, rows[i].generic_hw);
		assert_int_equal(evlist->entries[0]->name_given, rows[i].name_given);
		evlist__free(evlist);
	}
	parse_error__free(&error);
	fake_roots__remove(&fake);
}

static void test_a_pattern_selects_among_the_pmus_that_have_an_event(void **state)
{
	static const struct {
		const char *pattern, *text;
		int nr;
	} rows[] = {
		{ "uncore_imc_1", "cas", 1 },
		{ "imc", "cas", 3 },
		{ "imc_1*", "cas", 2 },
		{ "uncore_imc_1", "imc/event=5/", 1 },
		{ "uncore_imc_1", "uncore_imc_0/cas/", 1 },
		{ "msr", "tsc,msr/event=1/,duration_time", 3 },
		{ "cpu", "cycles,LLC-loads", 2 },
		{ "msr", "cas", -EINVAL },
		{ "msr", "imc/event=5/", -EINVAL },
		{ "msr", "cycles", -EINVAL },
		{ "cpu", "cs", -EINVAL },
		{ "software", "cs", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event_env env = { .roots = &server.roots, .pmu_filter = rows[i].pattern };
		struct parse_error error = PARSE_ERROR_INIT;
		struct evlist *evlist = evlist__new();
		int err = parse_events(evlist, rows[i].text, &env, &error);

		if ((err ?: evlist->nr) != rows[i].nr)
			print_error("--pmu-filter %s -e %s: %d\n", rows[i].pattern, rows[i].text,
				    err ?: evlist->nr);
		assert_int_equal(err ?: evlist->nr, rows[i].nr);
		parse_error__free(&error);
		evlist__free(evlist);
	}
}

static void test_several_calls_can_share_the_pmus(void **state)
{
	struct event_env env = { .roots = &bare.roots, .pmus = pmus__new(&server.roots) };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(parse_events(evlist, "uncore_imc_0/cas/", &env, &error), 0);
		assert_int_equal(evlist->nr, i);
	}
	parse_error__free(&error);
	evlist__free(evlist);
	pmus__free(env.pmus);
}

static void test_a_failure_changes_nothing(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "cs", &env, &error), 0);
	assert_int_equal(parse_events(evlist, "{cs,cycles},cas,nope", &env, &error), -EINVAL);
	assert_int_equal(evlist->nr, 1);
	assert_int_equal(parse_events(evlist, "{cs,cycles}", &env, &error), 0);
	assert_int_equal(evlist->nr, 3);
	assert_ptr_equal(evlist->entries[2]->leader, evlist->entries[1]);
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_merged_events_point_to_the_event_to_which_they_are_added(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();

	(void)state;
	assert_int_equal(parse_events(evlist, "{cas,imc/event=5/}", &env, &error), 0);
	assert_int_equal(evlist->nr, 6);
	for (int i = 0; i < 6; i++) {
		assert_ptr_equal(evlist->entries[i]->merge_into,
				 i < 2 ? NULL : evlist->entries[i % 2]);
		assert_int_equal(evlist->entries[i]->merged, i >= 2);
		assert_int_equal(evlist->entries[i]->ordinal, i % 2);
		assert_int_equal(evlist->entries[i]->leader->idx, i - i % 2);
	}
	parse_error__free(&error);
	evlist__free(evlist);
}

static void test_the_number_of_events_is_bounded(void **state)
{
	struct event_env env = { .roots = &server.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 7000; i++)
		strbuf__adds(&text, i ? ",imc/cas/" : "imc/cas/");
	assert_int_equal(parse_events(evlist, text.text, &env, &error), -EINVAL);
	assert_string_equal(error.reason.text, "more than 16384 events");
	assert_int_equal(evlist->nr, 0);
	strbuf__free(&text);
	parse_error__free(&error);
	evlist__free(evlist);
}

static int setup(void **state)
{
	(void)state;
	fake_roots__init(&server);
	fake_roots__server(&server);
	fake_roots__init(&bare);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_roots__remove(&server);
	fake_roots__remove(&bare);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_tracefs_is_reported),
		cmocka_unit_test(test_run_cnt_is_known_when_a_program_is_profiled),
		cmocka_unit_test(test_names_of_generic_events_and_given_names_are_marked),
		cmocka_unit_test(test_a_pattern_selects_among_the_pmus_that_have_an_event),
		cmocka_unit_test(test_several_calls_can_share_the_pmus),
		cmocka_unit_test(test_a_failure_changes_nothing),
		cmocka_unit_test(test_merged_events_point_to_the_event_to_which_they_are_added),
		cmocka_unit_test(test_the_number_of_events_is_bounded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
