// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/types.h>

#include "bpf_skel/cgroup_counter.h"
#include "util/base/sysfs.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"

#define MAX_EVENTS 16

struct planned {
	struct evlist *evlist;
	struct vendor *vendor;
	bool is_open[MAX_EVENTS];
	struct cgroup_plan *plan;
};

static struct planned plan(const char *text)
{
	struct sysroots roots = { .sysfs = "/nonexistent",
				  .procfs = "/nonexistent",
				  .tracefs = "/nonexistent" };
	struct planned p = { .evlist = evlist__new() };
	struct parse_error error = PARSE_ERROR_INIT;
	struct event_env env = { .roots = &roots };

	p.vendor = vendor__new(NULL, &roots);
	env.vendor = p.vendor;
	assert_int_equal(parse_events(p.evlist, text, &env, &error), 0);
	parse_error__free(&error);
	assert_true(p.evlist->nr <= MAX_EVENTS);
	for (int i = 0; i < MAX_EVENTS; i++)
		p.is_open[i] = true;
	p.plan = cgroup_plan__new((const struct evsel *const *)p.evlist->entries, p.is_open,
				  p.evlist->nr);
	assert_non_null(p.plan);
	return p;
}

static void end(struct planned *p)
{
	cgroup_plan__free(p->plan);
	evlist__free(p->evlist);
	vendor__free(p->vendor);
}

static void clocks_and_switches_need_no_counter(void **state)
{
	struct planned p = plan("task-clock,cpu-clock:u,cs,context-switches:k,cgroup-switches");
	const uint32_t cells[] = { CGROUP_CELL_TIME, CGROUP_CELL_TIME, CGROUP_CELL_SWITCHES,
				   CGROUP_CELL_SWITCHES, CGROUP_CELL_CROSSED };

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_false(cgroup_plan__needs_fd(p.evlist->entries[i]));
		assert_false(p.plan->counters[i].has_fd);
		assert_int_equal(p.plan->counters[i].read, -1);
		assert_int_equal(p.plan->counters[i].cell, cells[i]);
		assert_int_equal(p.plan->counters[i].enabled, CGROUP_CELL_TIME);
	}
	assert_int_equal(p.plan->nr_cells, CGROUP_CELL_PLAIN);
	end(&p);
}

static void the_kernel_counts_switches_in_user_space(void **state)
{
	struct planned p = plan("cs:u");

	(void)state;
	assert_true(cgroup_plan__needs_fd(p.evlist->entries[0]));
	end(&p);
}

static void events_that_may_wait_for_a_counter_are_read_with_their_times(void **state)
{
	struct planned p = plan("cycles,page-faults,instructions,cs,migrations");
	const struct cgroup_counter *c = p.plan->counters;

	(void)state;
	assert_int_equal(p.plan->nr_plain, 2);
	assert_int_equal(p.plan->nr_timed, 2);
	assert_int_equal(p.plan->nr_cells, CGROUP_CELL_PLAIN + 2 + 3 * 2);
	assert_true(c[0].timed && c[2].timed && !c[1].timed && !c[4].timed);
	assert_int_equal(c[1].cell, CGROUP_CELL_PLAIN);
	assert_int_equal(c[4].cell, CGROUP_CELL_PLAIN + 1);
	assert_int_equal(c[0].cell, CGROUP_CELL_PLAIN + 2);
	assert_int_equal(c[0].enabled, CGROUP_CELL_PLAIN + 3);
	assert_int_equal(c[0].running, CGROUP_CELL_PLAIN + 4);
	assert_int_equal(c[2].cell, CGROUP_CELL_PLAIN + 5);
	assert_int_equal(c[1].running, CGROUP_CELL_TIME);
	end(&p);
}

static void a_group_of_events_has_the_times_of_one_of_them(void **state)
{
	struct planned p =
		plan("{task-clock,page-faults,cycles,instructions},{page-faults,migrations}");
	const struct cgroup_counter *c = p.plan->counters;

	(void)state;
	/*
	 * The first event with a counter is the leader, regardless of what it counts. The clock
	 * needs no counter.
	 */
	assert_int_equal(p.plan->nr_timed, 1);
	assert_true(c[1].timed);
	for (int i = 1; i < 4; i++) {
		assert_int_equal(c[i].enabled, c[1].cell + 1);
		assert_int_equal(c[i].running, c[1].cell + 2);
	}
	assert_int_equal(c[0].enabled, CGROUP_CELL_TIME);
	assert_false(c[4].timed || c[5].timed);
	end(&p);
}

static void the_events_of_a_weak_group_are_independent(void **state)
{
	struct planned p = plan("{cycles,instructions}:W");

	(void)state;
	assert_int_equal(p.plan->nr_timed, 2);
	end(&p);
}

static void events_that_are_not_open_are_not_read(void **state)
{
	struct planned p = plan("cycles,page-faults");

	(void)state;
	cgroup_plan__free(p.plan);
	p.is_open[0] = false;
	p.plan = cgroup_plan__new((const struct evsel *const *)p.evlist->entries, p.is_open,
				  p.evlist->nr);
	assert_int_equal(p.plan->counters[0].read, -1);
	assert_int_equal(p.plan->counters[1].read, 0);
	assert_int_equal(p.plan->nr_timed, 0);
	end(&p);
}

static void the_cells_of_another_session_stay_within_its_rows(void **state)
{
	struct cgroup_info info = {
		.version = CGROUP_INFO_VERSION, .nr_events = 2, .nr_plain = 1, .nr_timed = 1
	};

	(void)state;
	info.nr_cells = CGROUP_CELL_PLAIN + 4;
	info.events[1].timed = 1;
	assert_true(cgroup_plan__is_sound(&info));
	info.events[0].read = 1;
	assert_false(cgroup_plan__is_sound(&info));
	info.events[0].read = 0;
	/* so many events that the numbers of their cells wrap around */
	info.nr_timed = 0x55555556;
	info.nr_cells = CGROUP_CELL_PLAIN + info.nr_plain + 3 * info.nr_timed;
	assert_false(cgroup_plan__is_sound(&info));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_and_switches_need_no_counter),
		cmocka_unit_test(the_kernel_counts_switches_in_user_space),
		cmocka_unit_test(events_that_may_wait_for_a_counter_are_read_with_their_times),
		cmocka_unit_test(a_group_of_events_has_the_times_of_one_of_them),
		cmocka_unit_test(the_events_of_a_weak_group_are_independent),
		cmocka_unit_test(events_that_are_not_open_are_not_read),
		cmocka_unit_test(the_cells_of_another_session_stay_within_its_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
