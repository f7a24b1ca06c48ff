// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "util/base/braces.h"
#include "util/base/strbuf.h"

static void expect_word(const char *word, const char *words)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(braces__expand_word(word, '\n', &out), 0);
	assert_string_equal(out.text, words);
	strbuf__free(&out);
}

static void expect_events(const char *text, const char *events)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(braces__expand_events(text, &out), 0);
	assert_string_equal(out.text, events);
	strbuf__free(&out);
}

static void a_word_becomes_one_word_for_each_alternative_in_order(void **state)
{
	(void)state;
	expect_word("sys_{write,read}", "sys_write\nsys_read");
	expect_word("a{b,c}d{e,f}g", "abdeg\nabdfg\nacdeg\nacdfg");
	expect_word("a{b{c,d},e}", "abc\nabd\nae");
	expect_word("cycles{,:u}", "cycles\ncycles:u");
	expect_word("a{b}", "ab");
	expect_word("a{}", "a");
	expect_word("", "");
	expect_word("plain", "plain");
}

static void a_brace_at_the_beginning_or_without_a_counterpart_is_copied(void **state)
{
	(void)state;
	expect_word("{a,b}", "{a,b}");
	expect_word("a{b,c", "a{b,c");
	expect_word("ab,c}", "ab,c}");
}

static void only_braces_inside_an_event_are_alternatives(void **state)
{
	(void)state;
	expect_events("{cs,faults}", "{cs,faults}");
	expect_events("{cs,faults}:W,cs", "{cs,faults}:W,cs");
	expect_events("s:e_{r,w}:u,cs", "s:e_r:u,s:e_w:u,cs");
	expect_events("cs,s:{r,w}", "cs,s:r,s:w");
	expect_events("{cs,s:e_{r,w}}:u", "{cs,s:e_r,s:e_w}:u");
	expect_events(" { s:e_{r,w} , cs }", " { s:e_r ,s:e_w , cs }");
	expect_events("{cs}_{a,b}", "{cs}_{a,b}");
	expect_events("s:e_{r,w", "s:e_{r,w");
	/* names of groups, as in perf */
	expect_events("mine{cs,cs}:u", "mine{cs,cs}:u");
	expect_events("cs,mine {s:e_{r,w}},cs", "cs,mine {s:e_r,s:e_w},cs");
	expect_events("e*{r,w}", "e*r,e*w");
	expect_events("cache-{misses,references}", "cache-misses,cache-references");
	expect_events("cycles{,:u}", "cycles,cycles:u");
	expect_events("{cs", "{cs");
	expect_events("}{,", "}{,");
}

static void commas_and_braces_between_slashes_and_quotes_belong_to_the_event(void **state)
{
	(void)state;
	expect_events("imc_{0,1}/a=1,b=2/,cs", "imc_0/a=1,b=2/,imc_1/a=1,b=2/,cs");
	expect_events("cpu/name='a{b,c}'/", "cpu/name='a{b,c}'/");
	expect_events("cpu/a={1,2}/", "cpu/a={1,2}/");
	expect_events("mem:0x10/4:w,s:e_{r,w},mem:0x20/4", "mem:0x10/4:w,s:e_r,s:e_w,mem:0x20/4");
}

static void too_many_words_and_braces_are_refused(void **state)
{
	char deep[] = "a{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}{b}", open[4096];
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(braces__expand_word("a{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}",
					     ' ', &out),
			 -E2BIG);
	assert_int_equal(
		braces__expand_events("a{0,1,2,3,4,5,6,7,8,9}{0,1,2,3,4,5,6,7,8,9}{0,1,2,3,"
				      "4,5,6,7,8,9},s:a{b,c}",
				      &out),
		-E2BIG);
	strbuf__reset(&out);
	assert_int_equal(braces__expand_word(deep, ' ', &out), -E2BIG);
	deep[sizeof(deep) - 4] = '\0';
	assert_int_equal(braces__expand_word(deep, ' ', &out), 0);
	memset(open, '{', sizeof(open));
	open[0] = 'a';
	open[sizeof(open) - 1] = '\0';
	expect_word(open, open);
	expect_events(open, open);
	strbuf__free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_becomes_one_word_for_each_alternative_in_order),
		cmocka_unit_test(a_brace_at_the_beginning_or_without_a_counterpart_is_copied),
		cmocka_unit_test(only_braces_inside_an_event_are_alternatives),
		cmocka_unit_test(commas_and_braces_between_slashes_and_quotes_belong_to_the_event),
		cmocka_unit_test(too_many_words_and_braces_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
