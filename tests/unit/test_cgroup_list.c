// SPDX-License-Identifier: GPL-2.0-only
/* Names and patterns of cgroups, in an invented hierarchy. */
#include "tests/unit/fake-tree.h"

#include <errno.h>

#include "util/base/strbuf.h"
#include "util/machine/cgroup/cgroup-list.h"
#include "util/machine/cgroup/cgroup.h"

static struct fake_tree tree;

static int make_tree(void **state)
{
	static const char *const groups[] = { "web/one", "web/two", "web", "db/one",
					      "a+b",	 "x y",	    "a.b", "aXb" };

	(void)state;
	fake_tree__init(&tree);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		fake_tree__write(&tree, "", "%s/cgroup.procs", groups[i]);
	return 0;
}

static int free_tree(void **state)
{
	(void)state;
	fake_tree__free(&tree);
	return 0;
}

/* Checks that @text selects the cgroups @names, each of which is in brackets. */
static void expect(const char *text, const char *names)
{
	struct cgroup_mount mount = { .dir = tree.root };
	struct strbuf why = STRBUF_INIT, found = STRBUF_INIT;
	struct cgroup_list list;

	assert_int_equal(cgroup_list__parse(&mount, text, &list, &why), 0);
	for (int i = 0; i < list.nr; i++)
		strbuf__addf(&found, "[%s]", list.names[i]);
	assert_string_equal(found.text, names);
	assert_int_equal(list.by_pattern, cgroup_list__has_patterns(text));
	cgroup_list__free(&list);
	strbuf__free(&found);
}

static void expect_refused(const char *text, int err, const char *words)
{
	struct cgroup_mount mount = { .dir = tree.root };
	struct strbuf why = STRBUF_INIT;
	struct cgroup_list list;

	assert_int_equal(cgroup_list__parse(&mount, text, &list, &why), err);
	assert_non_null(strstr(why.text, words));
	assert_int_equal(list.nr, 0);
	strbuf__free(&why);
}

static void names_stay_as_they_are_and_in_order(void **state)
{
	(void)state;
	expect("web,db/one,none", "[web][db/one][none]");
	expect("", "[/]");
	expect("web,,db", "[web][/][db]");
	expect("x y,a.b", "[x y][a.b]");
}

static void a_name_that_is_given_twice_counts_once(void **state)
{
	(void)state;
	expect("web,db,web,,/,db", "[web][db][/]");
}

static void patterns_match_anywhere_in_a_path(void **state)
{
	(void)state;
	expect("o[n]e", "[db/one][web/one]");
	expect("^web$", "[web]");
	expect("^web", "[web][web/one][web/two]");
	expect("^we.*o$,^d.*e$", "[db/one][web/two]");
	expect("^.*$", "[/][a+b][a.b][aXb][db][db/one][web][web/one][web/two][x y]");
}

static void if_one_name_is_a_pattern_all_are_patterns(void **state)
{
	(void)state;
	expect("two,^db$", "[db][web/two]");
	expect("^db$,", "[/][db]");
	expect("^a.b$", "[a+b][a.b][aXb]");
}

static void a_pattern_that_is_literally_a_name_selects_that_cgroup(void **state)
{
	(void)state;
	expect("a+b", "[a+b]");
	expect("/a+b", "[a+b]");
}

static void patterns_are_basic_regular_expressions(void **state)
{
	(void)state;
	expect("^web/\\(one\\|two\\)$", "[web/one][web/two]");
	expect_refused("web|db", -ENOENT, "none of the 10 cgroups");
}

static void a_missing_match_or_pattern_is_an_error(void **state)
{
	(void)state;
	expect_refused("^nothing$", -ENOENT, "none of the 10 cgroups");
	expect_refused("\\(w\\{32767\\}\\)\\{32767\\}", -EINVAL,
		       "repeats parts too often: the product of all repetition counts may be at "
		       "most 65536");
	expect_refused("[", -EINVAL, "'[' is not a regular expression: ");
	expect_refused("^web,\\(", -EINVAL, "'\\(' is not a regular expression: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_as_they_are_and_in_order),
		cmocka_unit_test(a_name_that_is_given_twice_counts_once),
		cmocka_unit_test(patterns_match_anywhere_in_a_path),
		cmocka_unit_test(if_one_name_is_a_pattern_all_are_patterns),
		cmocka_unit_test(a_pattern_that_is_literally_a_name_selects_that_cgroup),
		cmocka_unit_test(patterns_are_basic_regular_expressions),
		cmocka_unit_test(a_missing_match_or_pattern_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_tree, free_tree);
}
