// SPDX-License-Identifier: GPL-2.0-only
/*
 * libpfm makes the attrs. The tests check that pstat uses these attrs, and that groups and refusals
 * are as in perf.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine-files.h"
#include "tests/unit/show-events.h"
#include "util/event/parse-events.h"
#include "util/event/pfm-events.h"
#include "util/machine/pmu/libpfm.h"

static struct fake_roots machine;

static int set_up(void **state)
{
	struct strbuf why = STRBUF_INIT;

	(void)state;
	/* Also encode the events of CPU models other than this one. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	fake_roots__load(&machine, "server");
	if (!libpfm__load(&why))
		print_message("%s\n", why.text);
	strbuf__free(&why);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_roots__remove(&machine);
	return 0;
}

/* libpfm 4.12 excludes the hypervisor for software events, and 4.13 does not. */
static void ignore_hypervisor(char *text)
{
	char *found;

	while ((found = strstr(text, " -h")))
		memmove(found, found + 3, strlen(found + 3) + 1);
}

/* Compares the events of @text, or the reason why it is refused, with @expected. */
static void expect(const char *text, const char *expected)
{
	struct event_env env = { .roots = &machine.roots };
	struct strbuf got = STRBUF_INIT, why = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	int err;

	if (!libpfm__load(&why)) {
		strbuf__free(&why);
		evlist__free(evlist);
		skip();
	}
	err = pfm_events__parse(evlist, text, &env, &why);
	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_int_equal(evlist->nr, 0);
		strbuf__addf(&got, "refused: %s", why.text);
	} else {
		show_events(&got, evlist);
		ignore_hypervisor(got.text);
	}
	assert_string_equal(got.text, expected);
	strbuf__free(&got);
	strbuf__free(&why);
	evlist__free(evlist);
}

static void names_become_events(void **state)
{
	(void)state;
	expect("perf::CONTEXT-SWITCHES", "perf::CONTEXT-SWITCHES 1:0x3 -G");
	expect("perf::PAGE-FAULTS:u", "perf::PAGE-FAULTS:u 1:0x2 -k -G");
	expect("icl::INST_RETIRED:ANY_P:k", "icl::INST_RETIRED:ANY_P:k 4:0xc0 -u -G on cpu");
	expect("icl::BR_INST_RETIRED:NEAR_CALL:c=1,perf::CPU-CLOCK",
	       "icl::BR_INST_RETIRED:NEAR_CALL:c=1 4:0x10002c4 -G on cpu; perf::CPU-CLOCK 1:0x0 "
	       "-G");
	expect("", "");
	expect(",,", "");
}

static void braces_make_groups(void **state)
{
	(void)state;
	expect("{perf::CPU-CLOCK,perf::PAGE-FAULTS},perf::CONTEXT-SWITCHES",
	       "{perf::CPU-CLOCK 1:0x0 -G; perf::PAGE-FAULTS 1:0x2 -G}; "
	       "perf::CONTEXT-SWITCHES 1:0x3 -G");
	expect("{perf::CPU-CLOCK},{perf::PAGE-FAULTS,perf::CPU-CLOCK,}",
	       "perf::CPU-CLOCK 1:0x0 -G; {perf::PAGE-FAULTS 1:0x2 -G; perf::CPU-CLOCK 1:0x0 -G}");
}

static void refusals_have_the_text_of_perf(void **state)
{
	(void)state;
	expect("{{perf::CPU-CLOCK}}", "refused: nested event groups not supported");
	expect("perf::CPU-CLOCK}", "refused: cannot close a non-existing event group");
	expect("perf::CPU-CLOCK,nonsense",
	       "refused: failed to parse event perf::CPU-CLOCK,nonsense : event not found");
	expect("icl::INST_RETIRED:NOPE",
	       "refused: failed to parse event icl::INST_RETIRED:NOPE : invalid event attribute");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_events),
		cmocka_unit_test(braces_make_groups),
		cmocka_unit_test(refusals_have_the_text_of_perf),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
