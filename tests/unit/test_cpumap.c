// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/cpu/cpumap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static struct cpumap *parsed(const char *list)
{
	struct cpumap *map;

	assert_int_equal(cpumap__parse(list, &map), 0);
	assert_non_null(map);
	return map;
}

static void lists_become_sorted_ids(void **state)
{
	static const struct {
		const char *list;
		int nr, ids[8];
	} good[] = {
		{ "0", 1, { 0 } },
		{ "65535", 1, { 65535 } },
		{ "0-3", 4, { 0, 1, 2, 3 } },
		{ "0-3,8,10-11", 7, { 0, 1, 2, 3, 8, 10, 11 } },
		{ "5,1,3", 3, { 1, 3, 5 } },
		{ "2,2,1-3,3", 3, { 1, 2, 3 } },
		{ "7-7", 1, { 7 } },
		{ "007", 1, { 7 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct cpumap *map = parsed(good[i].list);

		assert_int_equal(map->nr, good[i].nr);
		assert_memory_equal(map->ids, good[i].ids, sizeof(int) * (size_t)good[i].nr);
		cpumap__free(map);
	}
}

static void other_texts_are_not_lists(void **state)
{
	static const char *const bad[] = { "",	 "a",	  "-1",	 "0-",	 "-",	",",
					   ",0", "0,,",	  "1-0", "0,,1", "0 1", " 0",
					   "0 ", "0-1-2", "0x1", "+1",	 "0\n" };
	struct cpumap *map;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		map = (void *)bad;
		assert_int_equal(cpumap__parse(bad[i], &map), -EINVAL);
		assert_null(map);
	}
}

static void ids_beyond_any_machine_are_out_of_range(void **state)
{
	static const char *const large[] = { "65536", "0-65536", "4294967296",
					     "99999999999999999999" };
	struct cpumap *map;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		map = (void *)large;
		assert_int_equal(cpumap__parse(large[i], &map), -ERANGE);
		assert_null(map);
	}
}

static void errors_in_a_list_are_reported(void **state)
{
	static const struct {
		const char *list, *why;
	} bad[] = {
		{ "", "not a list of CPUs: write it as 0-3,8" },
		{ "x", "not a list of CPUs: write it as 0-3,8" },
		{ "0,,", "not a list of CPUs: write it as 0-3,8" },
		{ "0-", "not a list of CPUs: write it as 0-3,8" },
		{ "0-1-2", "not a list of CPUs: write it as 0-3,8" },
		{ "0,x,3-1", "not a list of CPUs: write it as 0-3,8" },
		{ "1-0", "1-0 runs backwards: write it as 0-1" },
		{ "0-3,9-8", "9-8 runs backwards: write it as 8-9" },
		{ "65536", "CPU 65536: the largest possible id is 65535" },
		{ "0,8-70000,x", "CPU 70000: the largest possible id is 65535" },
		{ "99999999999999999999-1",
		  "CPU 99999999999999999999: the largest possible id is 65535" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct strbuf why = STRBUF_INIT;

		cpumap__why_not(bad[i].list, &why);
		assert_string_equal(why.text, bad[i].why);
		strbuf__free(&why);
	}
}

static void an_index_in_the_list_is_not_an_id(void **state)
{
	struct cpumap *map = parsed("1,4-5,9");

	(void)state;
	assert_int_equal(cpumap__index(map, 1), 0);
	assert_int_equal(cpumap__index(map, 4), 1);
	assert_int_equal(cpumap__index(map, 5), 2);
	assert_int_equal(cpumap__index(map, 9), 3);
	assert_int_equal(cpumap__index(map, 0), -1);
	assert_int_equal(cpumap__index(map, 6), -1);
	assert_int_equal(cpumap__index(map, 10), -1);
	assert_int_equal(cpumap__index(map, -1), -1);
	assert_int_equal(cpumap__last(map), 9);
	assert_false(cpumap__is_any(map));
	cpumap__free(map);
}

static void the_map_of_any_cpu_is_not_a_list_of_cpus(void **state)
{
	struct cpumap *any = cpumap__any(), *zero = parsed("0");

	(void)state;
	assert_true(cpumap__is_any(any));
	assert_int_equal(any->nr, 1);
	assert_int_equal(cpumap__index(any, -1), 0);
	assert_int_equal(cpumap__index(any, 0), -1);
	assert_false(cpumap__is_any(zero));
	cpumap__free(any);
	cpumap__free(zero);
}

static void a_copy_is_independent(void **state)
{
	struct cpumap *map = parsed("2-4"), *copy = cpumap__copy(map);

	(void)state;
	cpumap__free(map);
	assert_int_equal(copy->nr, 3);
	assert_int_equal(copy->ids[0], 2);
	assert_int_equal(copy->ids[2], 4);
	cpumap__free(copy);
}

static void the_intersection_of_two_maps_may_be_empty(void **state)
{
	struct cpumap *a = parsed("0-5,9"), *b = parsed("3,5-9"), *c = parsed("20"),
		      *both = cpumap__intersect(a, b);
	struct cpumap *none = cpumap__intersect(a, c);

	(void)state;
	assert_int_equal(both->nr, 3);
	assert_int_equal(both->ids[0], 3);
	assert_int_equal(both->ids[1], 5);
	assert_int_equal(both->ids[2], 9);
	assert_non_null(none);
	assert_int_equal(none->nr, 0);
	assert_int_equal(cpumap__last(none), -1);
	assert_int_equal(cpumap__index(none, 0), -1);
	cpumap__free(a);
	cpumap__free(b);
	cpumap__free(c);
	cpumap__free(both);
	cpumap__free(none);
}

/* Formats each list as pstat prints it, and parses the result. */
static void a_map_that_is_written_and_read_is_unchanged(void **state)
{
	static const char *const lists[] = { "0", "0-1", "0,2", "0-3,8,10-11", "1,3-4,6-8,65535" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct cpumap *map = parsed(lists[i]), *again;
		struct strbuf sb = STRBUF_INIT;

		strbuf__adds(&sb, "1,");
		strbuf__reset(&sb);
		cpumap__format(map, &sb);
		again = parsed(sb.text);
		assert_int_equal(again->nr, map->nr);
		assert_memory_equal(again->ids, map->ids, sizeof(int) * (size_t)map->nr);
		cpumap__free(map);
		cpumap__free(again);
		strbuf__free(&sb);
	}
}

static void a_list_is_short_if_ids_are_adjacent(void **state)
{
	struct cpumap *map = parsed("0-511"), *none = cpumap__copy(map);
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__adds(&sb, "CPUs ");
	cpumap__format(map, &sb);
	assert_string_equal(sb.text, "CPUs 0-511");
	none->nr = 0;
	cpumap__format(none, &sb);
	assert_string_equal(sb.text, "CPUs 0-511");
	cpumap__free(map);
	cpumap__free(none);
	strbuf__free(&sb);
}

static void a_machine_of_512_cpus_with_holes_is_read(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = { .sysfs = tree.root };
	struct cpumap *online, *possible;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__write(&tree, "0-2,4-255,300-511", "devices/system/cpu/online");
	fake_tree__write(&tree, "0-511", "devices/system/cpu/possible");
	assert_int_equal(cpumap__online(&roots, &online), 0);
	assert_int_equal(cpumap__possible(&roots, &possible), 0);
	assert_int_equal(online->nr, 3 + 252 + 212);
	assert_int_equal(cpumap__index(online, 3), -1);
	assert_int_equal(cpumap__index(online, 4), 3);
	assert_int_equal(cpumap__index(online, 511), online->nr - 1);
	assert_int_equal(possible->nr, 512);
	cpumap__free(online);
	cpumap__free(possible);
	fake_tree__free(&tree);
}

/* As many separate CPUs as possible: the list is longer than a page of 4096 bytes. */
static void a_list_may_fill_the_buffer(void **state)
{
	struct fake_tree tree;
	struct sysroots roots = { .sysfs = tree.root };
	struct strbuf list = STRBUF_INIT;
	struct cpumap *online;
	int nr = 0;

	(void)state;
	for (; list.len < CPU_LIST_SIZE - 1 - strlen(",0000"); nr++)
		strbuf__addf(&list, "%s%d", nr ? "," : "", 2 * nr);
	fake_tree__init(&tree);
	fake_tree__write(&tree, list.text, "devices/system/cpu/online");
	assert_int_equal(cpumap__online(&roots, &online), 0);
	assert_int_equal(online->nr, nr);
	assert_int_equal(cpumap__last(online), 2 * (nr - 1));
	cpumap__free(online);

	strbuf__adds(&list, ",60000,60002");
	fake_tree__write(&tree, list.text, "devices/system/cpu/online");
	assert_int_equal(cpumap__online(&roots, &online), -EFBIG);
	assert_null(online);
	fake_tree__free(&tree);
	strbuf__free(&list);
}

static void a_machine_without_the_lists_is_an_error(void **state)
{
	struct sysroots roots = { .sysfs = "/nonexistent" };
	struct cpumap *map = (void *)&roots;

	(void)state;
	assert_int_equal(cpumap__online(&roots, &map), -ENOENT);
	assert_null(map);
	assert_int_equal(cpumap__possible(&roots, &map), -ENOENT);
	assert_null(map);
}

static void a_union_contains_the_ids_of_both(void **state)
{
	static const char *const rows[][3] = {
		{ "0-3", "2-5", "0-5" }, { "0,2", "1,3", "0-3" }, { "7", "7", "7" },
		{ "0-1", "8", "0-1,8" }, { "8", "0-1", "0-1,8" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cpumap *a = parsed(rows[i][0]), *b = parsed(rows[i][1]),
			      *all = cpumap__union(a, b);
		struct cpumap *wanted = parsed(rows[i][2]);

		assert_true(cpumap__equal(all, wanted));
		assert_int_equal(cpumap__equal(a, wanted), !strcmp(rows[i][0], rows[i][2]));
		cpumap__free(a);
		cpumap__free(b);
		cpumap__free(all);
		cpumap__free(wanted);
	}
}

static void an_id_can_be_removed(void **state)
{
	struct cpumap *map = parsed("0-3,8"), *wanted = parsed("0,2-3");

	(void)state;
	cpumap__remove(map, 1);
	cpumap__remove(map, 8);
	cpumap__remove(map, 5);
	assert_true(cpumap__equal(map, wanted));
	cpumap__remove(map, 0);
	cpumap__remove(map, 2);
	cpumap__remove(map, 3);
	assert_int_equal(map->nr, 0);
	cpumap__free(map);
	cpumap__free(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_union_contains_the_ids_of_both),
		cmocka_unit_test(an_id_can_be_removed),
		cmocka_unit_test(lists_become_sorted_ids),
		cmocka_unit_test(other_texts_are_not_lists),
		cmocka_unit_test(ids_beyond_any_machine_are_out_of_range),
		cmocka_unit_test(errors_in_a_list_are_reported),
		cmocka_unit_test(an_index_in_the_list_is_not_an_id),
		cmocka_unit_test(the_map_of_any_cpu_is_not_a_list_of_cpus),
		cmocka_unit_test(a_copy_is_independent),
		cmocka_unit_test(the_intersection_of_two_maps_may_be_empty),
		cmocka_unit_test(a_map_that_is_written_and_read_is_unchanged),
		cmocka_unit_test(a_list_is_short_if_ids_are_adjacent),
		cmocka_unit_test(a_machine_of_512_cpus_with_holes_is_read),
		cmocka_unit_test(a_list_may_fill_the_buffer),
		cmocka_unit_test(a_machine_without_the_lists_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
