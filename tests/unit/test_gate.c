// SPDX-License-Identifier: GPL-2.0-only
/* The gate of --start and --stop, as user space changes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/count/gate.h"

static const struct gate_points only_stop = { .nr_stop = 1 },
				both = { .nr_start = 1, .nr_stop = 1 };

static void without_a_start_arming_opens_the_gate(void **state)
{
	struct gate gate = { 0 };

	(void)state;
	gate__arm(&gate, &both);
	assert_int_equal(gate.phase, 0);
	gate__disarm(&gate);
	assert_int_equal(gate.closed, 0);
	gate__arm(&gate, &only_stop);
	assert_int_equal(gate.phase, 2);
	gate__disarm(&gate);
	assert_int_equal(gate.phase, 0);
	assert_int_equal(gate.closed, 1);
	assert_int_equal(gate.armed, 0);
	assert_int_equal(gate.lock, 0);
}

/* The thread that holds the lock may not get a CPU for a long time. */
static void a_locked_gate_is_closed_and_remains_locked(void **state)
{
	struct gate gate = { .armed = 1, .lock = 1, .phase = 2, .opened = 1, .clock = 1 };

	(void)state;
	gate__disarm(&gate);
	assert_int_equal(gate.phase, 0);
	assert_int_equal(gate.armed, 0);
	assert_int_equal(gate.lock, 1);
}

static void a_new_phase_drops_runs(void **state)
{
	struct gate gate = { 0 };
	uint32_t before;

	(void)state;
	gate__drop_runs(&gate);
	assert_int_equal(gate.phase, 0);
	gate__arm(&gate, &only_stop);
	before = gate.phase;
	gate__drop_runs(&gate);
	assert_int_not_equal(gate.phase, 0);
	assert_int_not_equal(gate.phase, before);
	assert_int_equal(gate.closed, 0);
}

static void times_are_limited_to_those_of_the_open_gate(void **state)
{
	uint64_t enabled = 1000, running = 250;

	(void)state;
	gate__limit_times(2000, &enabled, &running);
	assert_int_equal(enabled, 1000);
	gate__limit_times(400, &enabled, &running);
	assert_int_equal(enabled, 400);
	assert_int_equal(running, 100);
	gate__limit_times(0, &enabled, &running);
	assert_int_equal(enabled, 0);
	assert_int_equal(running, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_start_arming_opens_the_gate),
		cmocka_unit_test(a_locked_gate_is_closed_and_remains_locked),
		cmocka_unit_test(a_new_phase_drops_runs),
		cmocka_unit_test(times_are_limited_to_those_of_the_open_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
