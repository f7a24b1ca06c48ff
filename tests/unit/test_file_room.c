// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "self/file-room.h"

static struct rlimit usual;

static rlim_t soft(void)
{
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	assert_int_equal(now.rlim_max, usual.rlim_max);
	return now.rlim_cur;
}

static void set_soft(rlim_t files)
{
	struct rlimit limit = { .rlim_cur = files, .rlim_max = usual.rlim_max };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_true(usual.rlim_max >= 512);
	set_soft(64);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return setrlimit(RLIMIT_NOFILE, &usual);
}

static void a_raised_limit_is_restored(void **state)
{
	struct file_room room;

	(void)state;
	file_room__take(&room, 200, 10);
	assert_true(soft() > 200);
	file_room__give_back(&room);
	assert_int_equal(soft(), 64);
}

static void a_limit_that_others_changed_stays(void **state)
{
	struct file_room room;

	(void)state;
	for (rlim_t files = 50; files <= 500; files += 450) {
		set_soft(64);
		file_room__take(&room, 200, 10);
		set_soft(files);
		file_room__give_back(&room);
		assert_int_equal(soft(), files);
	}
}

static void with_enough_room_the_limit_stays(void **state)
{
	struct file_room room;

	(void)state;
	set_soft(usual.rlim_max);
	file_room__take(&room, 10, 10);
	assert_int_equal(soft(), usual.rlim_max);
	set_soft(300);
	file_room__give_back(&room);
	assert_int_equal(soft(), 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_raised_limit_is_restored, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_limit_that_others_changed_stays, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(with_enough_room_the_limit_stays, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
