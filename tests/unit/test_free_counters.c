// SPDX-License-Identifier: GPL-2.0-only
/* Free counters on CPUs that cpu_set_t has no room for, or that do not exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/count/why/free-counters.h"
#include "util/event/parse-events.h"

static const int far_cpus[] = { 1023, 1024, 2000, 65535 };

static void counters_of_a_cpu_with_any_number_can_be_requested(void **state)
{
	const struct event_env env = { .roots = sysroots__host(), .probing = true };
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (size_t i = 0; i < sizeof(far_cpus) / sizeof(far_cpus[0]); i++) {
		struct free_counters found;

		if (far_cpus[i] < CPU_SETSIZE && CPU_ISSET(far_cpus[i], &before))
			continue;
		assert_int_equal(free_counters__on_cpu("page-faults", &env, far_cpus[i], &found),
				 0);
		/* This is the kernel's answer for a CPU that does not exist. */
		assert_int_equal(found.err, -EINVAL);
		assert_true(found.cannot_move);
		assert_true(found.all == 0 && found.free == 0);
	}
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_memory_equal(&before, &after, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_a_cpu_with_any_number_can_be_requested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
