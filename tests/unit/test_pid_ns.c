// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/task/pid-ns.h"

static void the_namespace_of_this_process_agrees_with_stat(void **state)
{
	struct pid_ns own, mine;
	struct stat st;

	(void)state;
	assert_int_equal(pid_ns__find(sysroots__host(), 0, &own), 0);
	assert_int_equal(pid_ns__find(sysroots__host(), getpid(), &mine), 0);
	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	assert_true(own.ino == mine.ino && own.dev == mine.dev);
	assert_true(own.ino == st.st_ino && own.dev == st.st_dev);
}

static void a_missing_thread_has_no_namespace(void **state)
{
	struct sysroots roots = { .procfs = "/nonexistent" };
	struct pid_ns ns;

	(void)state;
	assert_int_equal(pid_ns__find(&roots, 1, &ns), -ENOENT);
	assert_int_equal(pid_ns__find(&roots, 0, &ns), -ENOENT);
}

static void the_initial_namespace_is_recognized_by_its_inode(void **state)
{
	(void)state;
	assert_true(pid_ns__is_first(&(struct pid_ns){ .dev = 4, .ino = 4026531836 }));
	assert_false(pid_ns__is_first(&(struct pid_ns){ .dev = 4, .ino = 4026531837 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_namespace_of_this_process_agrees_with_stat),
		cmocka_unit_test(a_missing_thread_has_no_namespace),
		cmocka_unit_test(the_initial_namespace_is_recognized_by_its_inode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
