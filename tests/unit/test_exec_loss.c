// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/clock.h"
#include "util/count/counts.h"
#include "util/count/exec-loss.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define MS NSEC_PER_MSEC

static const struct evsel counter = { .name = (char *)"counter" };

static struct cpumap *cpus;

static int make_cpus(void **state)
{
	(void)state;
	return cpumap__parse("0", &cpus);
}

static int free_cpus(void **state)
{
	(void)state;
	cpumap__free(cpus);
	return 0;
}

/* Returns the reading of an event that was enabled for @enabled ns, after exec_loss__apply(). */
static struct reading applied(struct exec_loss *loss, uint64_t enabled, bool *no_scale)
{
	struct counts *counts = counts__new(&counter, cpus, 1);
	struct reading reading = { .value = 7, .enabled = enabled, .running = enabled };

	assert_non_null(counts);
	counts__set(counts, 0, 0, &reading);
	exec_loss__apply(loss, counts);
	reading = counts__total(counts, 0, 0);
	*no_scale = counts->no_scale;
	counts__free(counts);
	return reading;
}

static void counts_of_the_whole_time_stay_unchanged(void **state)
{
	struct exec_loss loss = { .cpu_ns = 110 * MS };
	bool no_scale;
	struct reading reading = applied(&loss, 100 * MS, &no_scale);

	(void)state;
	assert_false(loss.found || no_scale);
	assert_true(reading.value == 7 && reading.enabled == 100 * MS &&
		    loss.counted_ns == 100 * MS);
}

static void a_missing_part_increases_the_enabled_time_and_is_not_scaled(void **state)
{
	struct exec_loss loss = { .cpu_ns = 110 * MS };
	bool no_scale;
	struct reading reading = applied(&loss, 10 * MS, &no_scale);

	(void)state;
	assert_true(loss.found && no_scale);
	assert_true(reading.value == 7 && reading.enabled == 110 * MS &&
		    reading.running == 10 * MS);
}

static void a_small_part_of_a_short_task_may_be_missing(void **state)
{
	struct exec_loss loss = { .cpu_ns = 9 * MS };
	bool no_scale;

	(void)state;
	applied(&loss, 1 * MS, &no_scale);
	assert_false(loss.found || no_scale);
}

static void a_command_that_lost_its_events_counts_nothing(void **state)
{
	struct exec_loss loss = { .cpu_ns = 9 * MS, .change = EXEC_SETUID };
	bool no_scale;
	struct reading reading = applied(&loss, 1 * MS, &no_scale);

	(void)state;
	assert_true(loss.found && !reading.value && !reading.enabled && !reading.running);
}

static void a_setuid_program_that_changes_nothing_is_counted(void **state)
{
	struct exec_loss loss = { .cpu_ns = 9 * MS, .change = EXEC_SETUID };
	bool no_scale;
	struct reading reading = applied(&loss, 8 * MS, &no_scale);

	(void)state;
	assert_true(!loss.found && reading.value == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_the_whole_time_stay_unchanged),
		cmocka_unit_test(a_missing_part_increases_the_enabled_time_and_is_not_scaled),
		cmocka_unit_test(a_small_part_of_a_short_task_may_be_missing),
		cmocka_unit_test(a_command_that_lost_its_events_counts_nothing),
		cmocka_unit_test(a_setuid_program_that_changes_nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, make_cpus, free_cpus);
}
