// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/perf-config.h"
#include "util/base/strbuf.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Adds "LINE name=value;" for each setting. */
static void note(void *data, const struct perf_config_item *item)
{
	strbuf__addf(data, "%d %s=%s;", item->line, item->name, item->value);
}

/*
 * Checks that the settings in @text are @expected. If @text is not read to the end, @expected ends
 * with the reason.
 */
static void expect_bytes(const char *text, size_t len, const char *expected)
{
	struct strbuf seen = STRBUF_INIT, why = STRBUF_INIT;
	/* The buffer has exactly this length, so that a sanitizer notices a read beyond its end. */
	char *copy = malloc(len + !len);
	int err;

	assert_non_null(copy);
	memcpy(copy, text, len);
	err = perf_config__parse("F", copy, len, note, &seen, &why);
	free(copy);
	assert_int_equal(err, why.len ? -EINVAL : 0);
	strbuf__adds(&seen, why.text);
	assert_string_equal(seen.text, expected);
	strbuf__free(&seen);
	strbuf__free(&why);
}

static void expect(const char *text, const char *expected)
{
	expect_bytes(text, strlen(text), expected);
}

static void settings_are_named_by_their_section(void **state)
{
	(void)state;
	expect("", "");
	expect("[stat]\n\tbig-num = false\n", "2 stat.big-num=false;");
	expect("[a]\nb=1\n[c]\nd=2\n[a]\ne=3", "2 a.b=1;4 c.d=2;6 a.e=3;");
	expect("[stat] big-num = no\n", "1 stat.big-num=no;");
	expect("[a][b]c=1", "1 b.c=1;");
	expect("[a \"b\"]\nc=1\n[a.b]\nc=2\n[a]\nc=3", "2 a.b.c=1;4 a.b.c=2;6 a.c=3;");
	expect("[a \t \"B \\\"]\\\\\"]\nc=1", "2 a.B \"]\\.c=1;");
	expect("[a \"\"]\nc=1", "2 a..c=1;");
	expect("[x_1-y]\nz_0-Z9=1", "2 x_1-y.z_0-z9=1;");
}

static void names_are_in_lower_case(void **state)
{
	(void)state;
	expect("[STAT]\nBig-NUM = FALSE", "2 stat.big-num=FALSE;");
	expect("[Colors \"Top\"]\nX=Y", "2 colors.Top.x=Y;");
}

static void comments_and_empty_lines_are_skipped(void **state)
{
	(void)state;
	expect("# [a]\n\n ; x = \\\n\n[a] # b = 1\n c = 2 # d\n e = f;g\n\t\n", "6 a.c=2;7 a.e=f;");
	expect("[a]\nb = \"#;\" ;\"\nc=#\\\nd=2", "2 a.b=#;;3 a.c=;4 a.d=2;");
}

static void white_space_around_values_is_removed(void **state)
{
	(void)state;
	expect("[a]\nb = x \t y  \nc=  \"  x  \"  y\nd=\"\"\ne=\nf= \" \"",
	       "2 a.b=x y;3 a.c=  x   y;4 a.d=;5 a.e=;6 a.f= ;");
	expect("[a]\nb=\"x\"y\"z\"", "2 a.b=xyz;");
}

static void backslashes_escape_characters(void **state)
{
	(void)state;
	expect("[a]\nb = x\\ty\\\\\\\"\\n", "2 a.b=x\ty\\\"\n;");
	expect("[a]\nb = \"\\b\\\"#\"", "2 a.b=\b\"#;");
	expect("[a]\nb = x \\\n  y\\\nz\nc = 1", "2 a.b=x yz;5 a.c=1;");
	expect("[a]\nb = \"x\\\n y\"\nc=1", "2 a.b=x y;4 a.c=1;");
}

static void files_of_other_systems_are_read(void **state)
{
	(void)state;
	expect("\xef\xbb\xbf[a]\r\nb = x\r\nc = y \\\r\nz\r\n", "2 a.b=x;3 a.c=y z;");
	expect("[a]\nb = x\ry", "2 a.b=x y;");
}

static void the_last_line_needs_no_newline(void **state)
{
	(void)state;
	expect("[a]", "");
	expect("[a]\nb=", "2 a.b=;");
	expect("[a]\nb=x\\", "F:2: a backslash before the end of the line in a value: write "
			     "\\\\ for a backslash");
	expect("#", "");
	expect("[a]\nb=x\r", "2 a.b=x;");
}

static void a_bad_line_is_named_with_its_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "x = 1", "F:1: 'x' is in no section: write a line such as [stat] before it" },
		{ "\n[", "F:2: the name of a section is missing" },
		{ "[]", "F:1: the name of a section is missing" },
		{ "[ a]", "F:1: the name of a section is missing" },
		{ "[a", "F:1: the end of the line in a section's name: ] must end the name" },
		{ "[a\n]", "F:1: the end of the line in a section's name: ] must end the name" },
		{ "[a/b]", "F:1: '/' in a section's name: ] must end the name" },
		{ "[a\x81]", "F:1: byte 0x81 in a section's name: ] must end the name" },
		{ "[a b]", "F:1: a section's name must be followed by ] or by a name in "
			   "quotes: [section \"name\"]" },
		{ "[a ]", "F:1: a section's name must be followed by ] or by a name in "
			  "quotes: [section \"name\"]" },
		{ "[a \"b]\n", "F:1: the quotes in a section's name are not closed" },
		{ "[a \"b\\", "F:1: the quotes in a section's name are not closed" },
		{ "[a \"b\" ]", "F:1: ] is missing after the section's name" },
		{ "[a]\n1 = 2", "F:2: '1' cannot begin a section or a setting" },
		{ "[a]\n\n = 2", "F:3: '=' cannot begin a section or a setting" },
		{ "[a]\n\x01", "F:2: byte 0x01 cannot begin a section or a setting" },
		{ "[a]\nb", "F:2: = is missing after 'b': a setting is written NAME = VALUE" },
		{ "[a]\nB c = 1", "F:2: = is missing after 'b': a setting is written NAME = "
				  "VALUE" },
		{ "[a]\nb\n= 1", "F:2: = is missing after 'b': a setting is written NAME = VALUE" },
		{ "[a]\nb = \"x\n", "F:2: the quotes of a value are not closed" },
		{ "[a]\nb = \"x", "F:2: the quotes of a value are not closed" },
		{ "[a]\nb = \"x\\\n\\\n", "F:2: the quotes of a value are not closed" },
		{ "[a]\nb = x\\y", "F:2: a backslash before 'y' in a value: write \\\\ for a "
				   "backslash" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		expect(bad[i].text, bad[i].why);
}

static void bytes_that_are_not_text_are_refused(void **state)
{
	(void)state;
	expect_bytes("[a]\nb=x\0y", 9, "F:2: a value contains a NUL byte");
	expect_bytes("[a \"x\0\"]", 8, "F:1: the quotes in a section's name are not closed");
	expect_bytes("[a]\nb\0=1", 8,
		     "F:2: = is missing after 'b': a setting is written NAME "
		     "= VALUE");
	expect_bytes("[a]\n\0", 5, "F:2: byte 0x00 cannot begin a section or a setting");
	expect_bytes("#\0\n[a]\nb=1", 10, "3 a.b=1;");
}

static void lines_before_a_bad_line_are_used(void **state)
{
	(void)state;
	expect("[a]\nb=1\nbad line\nc=2", "2 a.b=1;F:3: = is missing after 'bad': a setting "
					  "is written NAME = VALUE");
}

static void words_and_numbers_are_true_or_false(void **state)
{
	static const char *const yes[] = { "true", "TRUE", "yes",
					   "On",   "1",	   "-1",
					   "0x10", "2k",   "99999999999999999999" };
	static const char *const no[] = { "", "false", "No", "OFF", "0", "00", "0x0", "0M" };
	static const char *const neither[] = { "tru", "y",  "truee", "1x",  "1kk", "k",
					       "-",   " 1", "0 ",    "1.5", "\n1" };
	bool value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		value = false;
		assert_int_equal(perf_config__bool(yes[i], &value), 0);
		assert_true(value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		value = true;
		assert_int_equal(perf_config__bool(no[i], &value), 0);
		assert_false(value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(neither); i++)
		assert_int_equal(perf_config__bool(neither[i], &value), -EINVAL);
}

static void a_list_contains_whole_names(void **state)
{
	static const char list[] = "cpu-cycles,cycles , cs:u,pmu/event=1,umask=2/,  r1";
	static const char *const there[] = { "cpu-cycles", "cycles", "cs:u", "pmu/event=1,umask=2/",
					     "r1" };
	static const char *const not_there[] = { "",  ",",     "cpu",	"cs",	    "u",  "r",
						 "1", "cycle", "ycles", "cycles:u", "r12" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(there); i++)
		assert_true(perf_config__lists(list, there[i]));
	for (size_t i = 0; i < ARRAY_SIZE(not_there); i++)
		assert_false(perf_config__lists(list, not_there[i]));
	assert_false(perf_config__lists("", "cs"));
	assert_true(perf_config__lists("cs", "cs"));
}

/* ---- files ---- */

static struct fake_tree tree;

static int set_up(void **state)
{
	(void)state;
	fake_tree__init(&tree);
	unsetenv("PERF_CONFIG");
	unsetenv("PERF_CONFIG_NOSYSTEM");
	unsetenv("PERF_CONFIG_NOGLOBAL");
	setenv("HOME", tree.root, 1);
	fake_tree__write(&tree, "[a]\nb=system", "etc");
	fake_tree__write(&tree, "[a]\nb=home", ".perfconfig");
	fake_tree__write(&tree, "[a]\nb=named", "named");
	log__set_level(LOG_ERROR);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	log__set_level(LOG_WARNING);
	fake_tree__free(&tree);
	return 0;
}

static void expect_read(const char *expected)
{
	struct strbuf seen = STRBUF_INIT;
	char path[64];

	snprintf(path, sizeof(path), "%s/etc", tree.root);
	perf_config__read(path, note, &seen);
	assert_string_equal(seen.text, expected);
	strbuf__free(&seen);
}

static void set_named(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", tree.root, name);
	setenv("PERF_CONFIG", path, 1);
}

static void the_users_file_comes_after_the_systems_file(void **state)
{
	(void)state;
	expect_read("2 a.b=system;2 a.b=home;");
	fake_tree__write(&tree, "[a]\nbad", "etc");
	expect_read("2 a.b=home;");
}

static void a_named_file_is_the_only_file_that_is_read(void **state)
{
	(void)state;
	set_named("named");
	expect_read("2 a.b=named;");
	set_named("not-there");
	expect_read("");
	setenv("PERF_CONFIG", tree.root, 1);
	expect_read("");
	setenv("PERF_CONFIG", "/dev/null", 1);
	expect_read("");
	setenv("PERF_CONFIG", "", 1);
	expect_read("");
}

static void an_endless_file_is_not_read(void **state)
{
	(void)state;
	setenv("PERF_CONFIG", "/dev/zero", 1);
	expect_read("");
}

static void the_environment_can_exclude_files(void **state)
{
	(void)state;
	setenv("PERF_CONFIG_NOSYSTEM", "1", 1);
	expect_read("2 a.b=home;");
	setenv("PERF_CONFIG_NOGLOBAL", "true", 1);
	expect_read("");
	setenv("PERF_CONFIG_NOSYSTEM", "no", 1);
	expect_read("2 a.b=system;");
	unsetenv("PERF_CONFIG_NOGLOBAL");
	setenv("HOME", "", 1);
	expect_read("2 a.b=system;");
	unsetenv("HOME");
	expect_read("2 a.b=system;");
}

static void missing_files_are_ignored(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/etc", tree.root);
	assert_int_equal(unlink(path), 0);
	expect_read("2 a.b=home;");
	setenv("HOME", "/proc/self/exe", 1);
	expect_read("");
}

static void a_file_of_another_user_is_not_read(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/.perfconfig", tree.root);
	if (chown(path, 12345, (gid_t)-1)) {
		print_message("probe: chown to another user: %s\n", strerror(errno));
		skip();
	}
	expect_read("2 a.b=system;");
	/* but if PERF_CONFIG names the file, it is read */
	set_named(".perfconfig");
	expect_read("2 a.b=home;");
}

#define file_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_named_by_their_section),
		cmocka_unit_test(names_are_in_lower_case),
		cmocka_unit_test(comments_and_empty_lines_are_skipped),
		cmocka_unit_test(white_space_around_values_is_removed),
		cmocka_unit_test(backslashes_escape_characters),
		cmocka_unit_test(files_of_other_systems_are_read),
		cmocka_unit_test(the_last_line_needs_no_newline),
		cmocka_unit_test(a_bad_line_is_named_with_its_reason),
		cmocka_unit_test(bytes_that_are_not_text_are_refused),
		cmocka_unit_test(lines_before_a_bad_line_are_used),
		cmocka_unit_test(words_and_numbers_are_true_or_false),
		cmocka_unit_test(a_list_contains_whole_names),
		file_test(the_users_file_comes_after_the_systems_file),
		file_test(a_named_file_is_the_only_file_that_is_read),
		file_test(an_endless_file_is_not_read),
		file_test(the_environment_can_exclude_files),
		file_test(missing_files_are_ignored),
		file_test(a_file_of_another_user_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
