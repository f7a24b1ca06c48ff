// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/task/threadmap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

typedef int (*parse_fn)(const struct sysroots *roots, const char *list, struct threadmap **map,
			struct strbuf *why);

static struct fake_tree tree;
static struct sysroots roots = { .procfs = tree.root };

/* Process 12 has the threads 12, 13 and 14; process 3456 has one; process 99 has no thread left. */
static int make_proc(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	fake_tree__write(&tree, "", "12/task/12/comm");
	fake_tree__write(&tree, "", "12/task/13/comm");
	fake_tree__write(&tree, "", "12/task/14/comm");
	fake_tree__write(&tree, "", "13/comm");
	fake_tree__write(&tree, "", "3456/task/3456/comm");
	fake_tree__write(&tree, "", "99/task/no-number");
	return 0;
}

static int remove_proc(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

static bool has(const struct threadmap *map, pid_t tid)
{
	int found = 0;

	for (int i = 0; i < map->nr; i++)
		found += map->tids[i] == tid;
	assert_true(found < 2);
	return found;
}

static struct threadmap *parsed(parse_fn parse, const char *list)
{
	struct strbuf why = STRBUF_INIT;
	struct threadmap *map;

	assert_int_equal(parse(&roots, list, &map, &why), 0);
	assert_string_equal(why.text, "");
	strbuf__free(&why);
	return map;
}

static void a_process_is_all_its_threads(void **state)
{
	struct threadmap *map = parsed(threadmap__of_pids, "12");

	(void)state;
	assert_int_equal(map->nr, 3);
	assert_true(has(map, 12) && has(map, 13) && has(map, 14));
	threadmap__free(map);
}

static void processes_are_in_the_order_of_the_list(void **state)
{
	struct threadmap *map = parsed(threadmap__of_pids, "3456,12");

	(void)state;
	assert_int_equal(map->nr, 4);
	assert_int_equal(map->tids[0], 3456);
	assert_true(has(map, 12) && has(map, 13) && has(map, 14));
	threadmap__free(map);
}

static void a_process_that_is_named_twice_counts_once(void **state)
{
	struct threadmap *map = parsed(threadmap__of_pids, "12,3456,12, 3456,");

	(void)state;
	assert_int_equal(map->nr, 4);
	threadmap__free(map);
}

static void a_list_of_threads_names_each_thread_once(void **state)
{
	struct threadmap *map = parsed(threadmap__of_tids, "13,12,13");

	(void)state;
	assert_int_equal(map->nr, 2);
	assert_int_equal(map->tids[0], 13);
	assert_int_equal(map->tids[1], 12);
	threadmap__free(map);
}

static void refused(parse_fn parse, const char *list, int err, const char *words)
{
	struct strbuf why = STRBUF_INIT;
	struct threadmap *map = (void *)&why;

	assert_int_equal(parse(&roots, list, &map, &why), err);
	assert_null(map);
	assert_string_equal(why.text, words);
	strbuf__free(&why);
}

static void missing_ids_are_named(void **state)
{
	(void)state;
	refused(threadmap__of_pids, "5", -ESRCH, "there is no process 5");
	refused(threadmap__of_pids, "12,77", -ESRCH, "there is no process 77");
	refused(threadmap__of_pids, "99", -ESRCH, "there is no process 99");
	refused(threadmap__of_tids, "5", -ESRCH, "there is no thread 5");
	refused(threadmap__of_tids, "12,15", -ESRCH, "there is no thread 15");
}

static void invalid_ids_are_named(void **state)
{
	(void)state;
	refused(threadmap__of_pids, "abc", -EINVAL, "'abc' is not a process ID");
	refused(threadmap__of_pids, "", -EINVAL, "'' is not a process ID");
	refused(threadmap__of_pids, ",", -EINVAL, "'' is not a process ID");
	refused(threadmap__of_pids, "12,,3456", -EINVAL, "'' is not a process ID");
	refused(threadmap__of_pids, "12 ", -EINVAL, "'12 ' is not a process ID");
	refused(threadmap__of_pids, "-1", -EINVAL, "'-1' is not a process ID");
	refused(threadmap__of_tids, "12 ", -EINVAL, "'12 ' is not a thread ID");
	refused(threadmap__of_tids, "../12", -EINVAL, "'../12' is not a thread ID");
}

static void an_impossible_id_is_named(void **state)
{
	(void)state;
	refused(threadmap__of_pids, "0", -ERANGE, "'0' is not a process ID");
	refused(threadmap__of_pids, "2147483648", -ERANGE, "'2147483648' is not a process ID");
	refused(threadmap__of_tids, "4294967308", -ERANGE, "'4294967308' is not a thread ID");
	refused(threadmap__of_tids, "99999999999999999999", -ERANGE,
		"'99999999999999999999' is not a thread ID");
}

static void the_own_process_exists(void **state)
{
	struct strbuf why = STRBUF_INIT;
	struct threadmap *map;
	char pid[16];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(threadmap__of_pids(sysroots__host(), pid, &map, &why), 0);
	assert_true(has(map, getpid()));
	threadmap__free(map);
	strbuf__free(&why);
}

static void a_map_of_one_thread_contains_this_thread(void **state)
{
	struct threadmap *map = threadmap__one(4711);

	(void)state;
	assert_int_equal(map->nr, 1);
	assert_int_equal(map->tids[0], 4711);
	threadmap__free(map);
	threadmap__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_all_its_threads),
		cmocka_unit_test(processes_are_in_the_order_of_the_list),
		cmocka_unit_test(a_process_that_is_named_twice_counts_once),
		cmocka_unit_test(a_list_of_threads_names_each_thread_once),
		cmocka_unit_test(missing_ids_are_named),
		cmocka_unit_test(invalid_ids_are_named),
		cmocka_unit_test(an_impossible_id_is_named),
		cmocka_unit_test(the_own_process_exists),
		cmocka_unit_test(a_map_of_one_thread_contains_this_thread),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
