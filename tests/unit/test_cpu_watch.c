// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <poll.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/cpu-watch.h"
#include "util/machine/cpu/cpumap.h"

#define ONLINE "devices/system/cpu/online"

static void assert_list(const struct cpumap *map, const char *wanted)
{
	struct strbuf list = STRBUF_INIT;

	cpumap__format(map, &list);
	assert_string_equal(list.len ? list.text : "", wanted);
	strbuf__free(&list);
}

/*
 * Only the file says which CPUs are online, because the kernel sends no messages about the CPUs in
 * a test's directory.
 */
static void the_file_of_online_cpus_is_followed(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = *sysroots__host();
	struct cpu_watch *watch;
	bool changed;

	(void)state;
	fake_tree__init(&tree);
	roots.sysfs = tree.root;
	assert_int_equal(cpu_watch__new(&roots, NULL, &watch), -ENOENT);
	assert_null(watch);
	fake_tree__write(&tree, "0-3,8", ONLINE);
	assert_int_equal(cpu_watch__new(&roots, NULL, &watch), 0);
	assert_list(cpu_watch__online(watch), "0-3,8");

	assert_int_equal(cpu_watch__check(watch, &changed), 0);
	assert_false(changed);

	fake_tree__write(&tree, "0,2-3,8-9", ONLINE);
	assert_int_equal(cpu_watch__check(watch, &changed), 0);
	assert_true(changed);
	assert_list(cpu_watch__online(watch), "0,2-3,8-9");
	assert_list(cpu_watch__stayed(watch), "0,2-3,8");

	assert_int_equal(cpu_watch__check(watch, &changed), 0);
	assert_false(changed);
	assert_list(cpu_watch__stayed(watch), "0,2-3,8-9");
	cpu_watch__free(watch);
	fake_tree__free(&tree);
}

/* Where the kernel's messages do not arrive, the watch asks to be checked every second. */
static void in_another_user_namespace_the_file_is_read_every_second(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = *sysroots__host();
	struct cpu_watch *watch;
	struct pollfd fd = { .events = POLLIN };
	bool changed;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__write(&tree, "0", ONLINE);
	/* its inode is not that of the initial namespace */
	fake_tree__write(&tree, "", "%s/ns/user", "self");
	roots.sysfs = roots.procfs = tree.root;
	assert_int_equal(cpu_watch__new(&roots, NULL, &watch), 0);
	fd.fd = cpu_watch__fd(watch);
	assert_int_equal(poll(&fd, 1, 30000), 1);
	assert_int_equal(cpu_watch__check(watch, &changed), 0);
	assert_false(changed);
	assert_int_equal(poll(&fd, 1, 0), 0);
	cpu_watch__free(watch);
	fake_tree__free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_of_online_cpus_is_followed),
		cmocka_unit_test(in_another_user_namespace_the_file_is_read_every_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
