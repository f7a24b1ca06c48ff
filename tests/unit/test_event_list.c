// SPDX-License-Identifier: GPL-2.0-only
/* The output of `pstat list` on invented machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "tests/unit/machine-files.h"
#include "util/base/strbuf.h"
#include "util/event/event-list.h"
#include "util/event/parse-events.h"

static int add(const struct listed_event *event, void *arg)
{
	strbuf__addf(arg, "%s%s%s", ((struct strbuf *)arg)->len ? "; " : "", event->name,
		     *event->more ? "?" : "");
	if (*event->unit || event->scale > 0)
		strbuf__addf(arg, " %g%s", event->scale, event->unit);
	if (*event->encoding)
		strbuf__addf(arg, " %s", event->encoding);
	return 0;
}

static void expect(const char *machine, unsigned int kinds, const char *glob, const char *expected,
		   const char *note)
{
	struct event_query query = { .kinds = kinds, .globs = &glob, .nr_globs = glob != NULL };
	struct strbuf got = STRBUF_INIT, notes = STRBUF_INIT;
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };

	fake_roots__load(&fake, machine);
	assert_int_equal(event_list__for_each(&env, &query, &notes, add, &got), 0);
	assert_string_equal(got.text, expected);
	if (note)
		assert_non_null(strstr(notes.text, note));
	else
		assert_string_equal(notes.text, "");
	strbuf__free(&got);
	strbuf__free(&notes);
	fake_roots__remove(&fake);
}

static void test_events_of_numbered_pmus_are_listed_once(void **state)
{
	(void)state;
	expect("server", 0, "uncore_imc*",
	       "uncore_imc/cas/ 0.5MiB uncore_imc/event=0x04/; uncore_imc/clockticks/ "
	       "uncore_imc/event=0xff/; "
	       "uncore_imc_0/event=0..0xff,umask=0..0xff/; "
	       "uncore_imc_1/event=0..0xff,umask=0..0xff/; "
	       "uncore_imc_10/event=0..0xff,umask=0..0xff/",
	       NULL);
	expect("hybrid", 1 << EVENT_PMU, NULL,
	       "cpu_atom/mem-loads/ cpu_atom/event=0xd0/; cpu_core/mem-loads/ "
	       "cpu_core/event=0xcd/; cpu_core/slots/ "
	       "cpu_core/event=0x00/; uncore_imc_free_running_0/data_read/ "
	       "uncore_imc_free_running_0/event=0xff/",
	       NULL);
	expect("amd", 1 << EVENT_PMU, NULL,
	       "cpu/cpu-cycles/ cpu/event=0x76/; cpu/instructions/ cpu/event=0xc0/; "
	       "power/energy-pkg/ "
	       "2.32831e-10Joules "
	       "power/event=0x02/",
	       NULL);
	expect("host", 1 << EVENT_PMU, NULL, "msr/tsc/ msr/event=0x00/", NULL);
}

static void test_only_tracepoints_with_an_id_are_listed(void **state)
{
	(void)state;
	expect("server", 1 << EVENT_TRACEPOINT, NULL,
	       "irq:broken; irq:softirq_entry; sched:sched_switch; sched:sched_wakeup; "
	       "syscalls:sys_enter_write; "
	       "syscalls:sys_enter_writev; syscalls:sys_exit_write",
	       NULL);
	expect("server", 0, "SYSCALLS",
	       "syscalls:sys_enter_write; syscalls:sys_enter_writev; syscalls:sys_exit_write",
	       NULL);
	expect("server", 0, "irq:s*", "irq:softirq_entry", NULL);
	expect("bare", 1 << EVENT_TRACEPOINT, NULL, "", "mount -t tracefs tracefs ");
}

static void test_invalid_events_are_listed_by_name(void **state)
{
	(void)state;
	expect("broken", 0, "cpu/[b-g]*",
	       "cpu/badscale/; cpu/brace/ cpu/event=1}/; cpu/commas/ cpu/,,,,/; cpu/empty/; "
	       "cpu/equals/ cpu/event==1/; "
	       "cpu/good/ cpu/event=1/; "
	       "cpu/backwards,beyond,comma,config9,empty,event=0..0xff,folder,long,nothing,words/",
	       NULL);
}

static int stop(const struct listed_event *event, void *arg)
{
	(void)event;
	++*(int *)arg;
	return -EPIPE;
}

static void test_the_first_error_ends_the_list(void **state)
{
	struct event_query query = { .kinds = ~0U };
	struct strbuf notes = STRBUF_INIT;
	struct fake_roots fake;
	struct event_env env = { .roots = &fake.roots };
	int calls = 0;

	(void)state;
	fake_roots__load(&fake, "server");
	for (unsigned int kind = 0; kind < NR_EVENT_KINDS; kind++) {
		query.kinds = 1U << kind;
		calls = 0;
		assert_int_equal(event_list__for_each(&env, &query, &notes, stop, &calls),
				 kind == EVENT_VENDOR ? 0 : -EPIPE);
		assert_int_equal(calls, kind != EVENT_VENDOR);
	}
	strbuf__free(&notes);
	fake_roots__remove(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_of_numbered_pmus_are_listed_once),
		cmocka_unit_test(test_only_tracepoints_with_an_id_are_listed),
		cmocka_unit_test(test_invalid_events_are_listed_by_name),
		cmocka_unit_test(test_the_first_error_ends_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
