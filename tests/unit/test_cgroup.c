// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups with an invented /proc/mounts. */
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/cgroup/cgroup.h"

/*
 * Makes the cgroups `one` of v1 and `two` of v2. Mounts v1 with the options @v1, and v2 with the
 * file system type @v2; NULL: not mounted.
 */
static struct sysroots make(struct fake_tree *tree, const char *v1, const char *v2)
{
	char text[512];
	size_t len = 0;

	fake_tree__init(tree);
	fake_tree__write(tree, "", "v1/one/tasks");
	fake_tree__write(tree, "", "v2/two/deep/cgroup.procs");
	if (v1)
		len = (size_t)snprintf(text, sizeof(text), "cgroup %s/v1 cgroup %s 0 0\n",
				       tree->root, v1);
	if (v2)
		snprintf(text + len, sizeof(text) - len, "cgroup2 %s/v2 %s rw 0 0", tree->root, v2);
	fake_tree__write(tree, v1 || v2 ? text : "tmpfs /tmp tmpfs rw 0 0", "mounts");
	return (struct sysroots){ .procfs = tree->root };
}

static void expect_open(const struct sysroots *roots, const char *name)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup_mount mount;
	struct cgroup *cgroup;

	assert_int_equal(cgroup_mount__find(roots, &mount, &why), 0);
	assert_int_equal(cgroup__open(&mount, name, &cgroup, &why), 0);
	cgroup_mount__free(&mount);
	assert_string_equal(cgroup->name, name);
	assert_true(fcntl(cgroup->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(why.len, 0);
	cgroup__close(cgroup);
}

static void expect_refused(const struct sysroots *roots, const char *name, int err,
			   const char *words)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup *cgroup = (struct cgroup *)1;
	struct cgroup_mount mount;

	assert_int_equal(cgroup_mount__find(roots, &mount, &why) ?:
				 cgroup__open(&mount, name, &cgroup, &why),
			 err);
	cgroup_mount__free(&mount);
	assert_true(!cgroup || err == -ENODEV);
	assert_non_null(strstr(why.text, words));
	strbuf__free(&why);
}

static void a_cgroup_of_v2_is_found_if_v1_has_no_perf_event_hierarchy(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = make(&tree, "rw,cpu,cpuacct", "cgroup2");

	(void)state;
	expect_open(&roots, "two");
	expect_open(&roots, "two/deep");
	expect_open(&roots, "/two/deep/");
	expect_open(&roots, "/");
	expect_refused(&roots, "one", -ENOENT, "/v2/one");
	expect_refused(&roots, "two/deep/cgroup.procs", -ENOTDIR, "Not a directory");
	fake_tree__free(&tree);
}

static void a_name_that_leads_out_of_the_hierarchy_is_refused(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = make(&tree, NULL, "cgroup2");

	(void)state;
	expect_open(&roots, "two/../two/./deep");
	expect_open(&roots, "two/..");
	expect_refused(&roots, "..", -ENOENT, "leads out of the hierarchy");
	expect_refused(&roots, "../v1/one", -ENOENT, "leads out of the hierarchy");
	expect_refused(&roots, "two/./../../v2/two", -ENOENT, "leads out of the hierarchy");
	fake_tree__free(&tree);
}

static void the_perf_event_hierarchy_of_v1_comes_first(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = make(&tree, "rw,perf_event", "cgroup2");

	(void)state;
	expect_open(&roots, "one");
	expect_refused(&roots, "two", -ENOENT, "there is no cgroup");
	fake_tree__free(&tree);
}

static void without_a_hierarchy_the_message_says_what_to_mount(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = make(&tree, NULL, NULL);

	(void)state;
	expect_refused(&roots, "one", -ENODEV, "mount -t cgroup2");
	fake_tree__free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_of_v2_is_found_if_v1_has_no_perf_event_hierarchy),
		cmocka_unit_test(a_name_that_leads_out_of_the_hierarchy_is_refused),
		cmocka_unit_test(the_perf_event_hierarchy_of_v1_comes_first),
		cmocka_unit_test(without_a_hierarchy_the_message_says_what_to_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
