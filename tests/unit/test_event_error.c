// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/unit/test_event_roots.h"
#include "util/event/evlist.h"
#include "util/base/near-names.h"
#include "util/event/parse-events.h"

static void expect(const char *text, const char *expected)
{
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf message = STRBUF_INIT;
	struct evlist *evlist = evlist__new();

	fake_roots__init(&fake);
	fake_roots__server(&fake);
	assert_int_equal(parse_events(evlist, text, &env, &error), -EINVAL);
	parse_error__format(&error, &message);
	assert_string_equal(message.text, expected);
	strbuf__free(&message);
	parse_error__free(&error);
	evlist__free(evlist);
	fake_roots__remove(&fake);
}

#define SEE_LIST "Run 'pstat list' for a list of valid events\n"

static void test_the_mark_is_below_the_wrong_column(void **state)
{
	(void)state;
	expect("cs:uu", "event syntax error: 'cs:uu'\n"
			"                         \\___ duplicate modifier 'u' (user)\n");
	expect("", "event syntax error: ''\n"
		   "                     \\___ no event is given\n");
	expect("tool/num_cpus,name/",
	       "event syntax error: '..l/num_cpus,name/'\n"
	       "                                  \\___ term 'name' needs a value\n");
	expect("msr/tsc/,msr/irperf/,cs",
	       "event syntax error: 'msr/tsc/,msr/irperf/,cs'\n"
	       "                                  \\___ unknown term 'irperf' for pmu 'msr'\n\n"
	       "valid terms: "
	       "event,config,config1,config2,config3,name,period,percore,metric-id,cpu\n");
}

static void test_a_long_string_is_cut_on_both_sides(void **state)
{
	(void)state;
	expect("task-clock,context-switches,nope",
	       "event syntax error: '..t-switches,nope'\n"
	       "                                  \\___ unknown event 'nope'\n" SEE_LIST);
	expect("nope,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	       "event syntax error: 'nope,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..'\n"
	       "                     \\___ unknown event 'nope'\n" SEE_LIST);
}

static void test_control_characters_do_not_reach_the_terminal(void **state)
{
	(void)state;
	expect("cs\033[31m", "event syntax error: 'cs?[31m'\n"
			     "                       \\___ expected ',', but found '?'\n");
	expect("cs\033\302\2332J", "event syntax error: 'cs??2J'\n"
				   "                       \\___ expected ',', but found '?'\n");
}

static void test_near_names_of_every_kind_are_offered(void **state)
{
	(void)state;
	expect("cycels", "event syntax error: 'cycels'\n                     \\___ unknown event "
			 "'cycels'\n\ndid you "
			 "mean: cycles\n" SEE_LIST);
	expect("inst_retird", "event syntax error: 'inst_retird'\n                     \\___ "
			      "unknown event 'inst_retird'\n\n"
			      "did you mean: inst_retired\n" SEE_LIST);
	expect("LLC-load-mises", "event syntax error: 'LLC-load-mises'\n                     \\___ "
				 "unknown event 'LLC-load-mises'\n\n"
				 "did you mean: LLC-load-misses\n" SEE_LIST);
	expect("mrs/tsc/",
	       "event syntax error: 'mrs/tsc/'\n"
	       "                     \\___ no PMU, and no PMU's event, has the name 'mrs'\n\n"
	       "did you mean: msr\n" SEE_LIST);
	expect("sched:sched_swich", "event syntax error: 'sched:sched_swich'\n"
				    "                           \\___ unknown tracepoint "
				    "'sched_swich' of system 'sched'\n\n"
				    "did you mean: sched_switch\n" SEE_LIST);
}

static void test_the_three_nearest_names_are_kept_in_order(void **state)
{
	struct near_names near = { 0 };

	(void)state;
	near_names__offer(&near, "abcdef", "abcd");   /* 2 */
	near_names__offer(&near, "abcdef", "bacdef"); /* 1: a swap */
	near_names__offer(&near, "abcdef", "abc");    /* 3 */
	near_names__offer(&near, "abcdef", "abcdxf"); /* 1 */
	near_names__offer(&near, "abcdef", "abcdxf"); /* known */
	near_names__offer(&near, "abcdef", "zzzzzz"); /* too far */
	near_names__offer(&near, "abcdef", "");
	assert_int_equal(near.nr, 3);
	assert_string_equal(near.names[0], "bacdef");
	assert_string_equal(near.names[1], "abcdxf");
	assert_string_equal(near.names[2], "abcd");
	near_names__free(&near);
	assert_int_equal(near.nr, 0);
	near_names__offer(&near, "abcdef", "abc");
	/* This name is so similar that the other suggestion is omitted. */
	near_names__offer(&near, "abcdef", "abcde");
	assert_int_equal(near.nr, 1);
	assert_string_equal(near.names[0], "abcde");
	near_names__free(&near);
	near_names__offer(&near, "A_b", "a-B");
	assert_int_equal(near.distance[0], 0);
	near_names__free(&near);
}

static void test_the_first_reason_is_kept(void **state)
{
	struct parse_error error = PARSE_ERROR_INIT;

	(void)state;
	assert_int_equal(parse_error__set(&error, 3, "one"), -EINVAL);
	assert_int_equal(parse_error__set(&error, 5, "two"), -EINVAL);
	assert_string_equal(error.reason.text, "one");
	assert_int_equal(error.column, 3);
	parse_error__clear(&error);
	assert_false(parse_error__is_set(&error));
	parse_error__free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_mark_is_below_the_wrong_column),
		cmocka_unit_test(test_a_long_string_is_cut_on_both_sides),
		cmocka_unit_test(test_control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(test_near_names_of_every_kind_are_offered),
		cmocka_unit_test(test_the_three_nearest_names_are_kept_in_order),
		cmocka_unit_test(test_the_first_reason_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
