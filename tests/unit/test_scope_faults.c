// SPDX-License-Identifier: GPL-2.0-only
/* The message about lost runs: causes that the scopes can have, and upper limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "util/base/log.h"
#include "util/count/scope/scope-faults.h"
#include "util/machine/scope/scope.h"

static char message[1024];

static void keep(enum log_level level, const char *text)
{
	assert_int_equal(level, LOG_WARNING);
	assert_true(strlen(text) < sizeof(message));
	strcpy(message, text);
}

/* Returns the message for scopes of the two kinds, each from an entry to a return. */
static const char *report(enum point_kind first, enum point_kind second, enum scope_lost cause)
{
	uint64_t lost[SCOPE_NR_LOST] = { 0 };
	struct scope_point points[] = {
		{ .kind = first, .func = "f", .syscall = 1 },
		{ .kind = first, .func = "f", .syscall = 1, .at_return = true },
		{ .kind = second, .func = "f", .syscall = 1 },
		{ .kind = second, .func = "f", .syscall = 1, .at_return = true },
	};
	struct scope scopes[] = {
		{ .begin = &points[0], .nr_begin = 1, .end = &points[1], .nr_end = 1 },
		{ .begin = &points[2], .nr_begin = 1, .end = &points[3], .nr_end = 1 },
	};
	const struct scope_list list = { .scopes = scopes, .nr = 2 };

	lost[cause] = 3;
	log__set_sink(keep);
	assert_int_equal(scope_faults__report(&list, 7, lost), 3);
	log__set_sink(NULL);
	return message;
}

#define COUNTED "--scope: 7 runs counted, 3 lost: 3 "

static void only_functions_of_programs_are_left_by_longjmp(void **state)
{
	(void)state;
	assert_string_equal(report(POINT_UPROBE, POINT_UPROBE, SCOPE_LOST_JUMP),
			    COUNTED "because their function was left without a return (by "
				    "longjmp(3))");
	assert_string_equal(report(POINT_SYSCALL, POINT_FUNC, SCOPE_LOST_JUMP),
			    COUNTED "because the kernel did not report that they returned");
	assert_string_equal(report(POINT_FUNC, POINT_UPROBE, SCOPE_LOST_JUMP),
			    COUNTED "because their function was left without a return (by "
				    "longjmp(3)), or because the kernel did not report that they "
				    "returned");
}

static void the_number_of_skipped_programs_is_an_upper_limit(void **state)
{
	(void)state;
	assert_string_equal(
		report(POINT_SYSCALL, POINT_SYSCALL, SCOPE_LOST_MISSED),
		"--scope: 7 runs counted, at most 3 lost: at most 3 because the CPU was running "
		"another BPF program or probe when they began (the kernel also counts tasks and "
		"system calls that are not selected)");
	assert_string_equal(report(POINT_SYSCALL, POINT_SYSCALL, SCOPE_LOST_EXIT),
			    COUNTED "because their thread exited");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_functions_of_programs_are_left_by_longjmp),
		cmocka_unit_test(the_number_of_skipped_programs_is_an_upper_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
