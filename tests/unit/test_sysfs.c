// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/one-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/base/sysfs.h"

/* Writes the file @name with exactly @len bytes. */
static void write_bytes(const char *name, const void *bytes, size_t len)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tree.root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void a_file_is_read_without_its_last_white_space(void **state)
{
	char buf[64];

	(void)state;
	fake_tree__write(&tree, " two words \t\n", "a/b/file");
	assert_int_equal(sysfs__read(tree.root, "a/b/file", buf, sizeof(buf)), 10);
	assert_string_equal(buf, " two words");
}

static void inner_newlines_are_kept(void **state)
{
	char buf[64];

	(void)state;
	fake_tree__write(&tree, "one\n\ntwo", "lines");
	assert_int_equal(sysfs__read(tree.root, "lines", buf, sizeof(buf)), 8);
	assert_string_equal(buf, "one\n\ntwo");
}

static void an_empty_file_is_an_empty_string(void **state)
{
	char buf[8] = "rest";

	(void)state;
	write_bytes("empty", "", 0);
	assert_int_equal(sysfs__read(tree.root, "empty", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	write_bytes("blank", "\n \n", 3);
	assert_int_equal(sysfs__read(tree.root, "blank", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
}

static void a_file_that_just_fits_is_read_and_one_byte_more_is_too_much(void **state)
{
	char buf[8];

	(void)state;
	write_bytes("seven", "1234567", 7);
	assert_int_equal(sysfs__read(tree.root, "seven", buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
	write_bytes("eight", "12345678", 8);
	assert_int_equal(sysfs__read(tree.root, "eight", buf, sizeof(buf)), -EFBIG);
	write_bytes("many", "123456789012345678901234567890", 30);
	assert_int_equal(sysfs__read(tree.root, "many", buf, sizeof(buf)), -EFBIG);
}

static void a_file_with_a_nul_byte_is_not_text(void **state)
{
	char buf[8];

	(void)state;
	write_bytes("nul", "1\0002", 3);
	assert_int_equal(sysfs__read(tree.root, "nul", buf, sizeof(buf)), -EINVAL);
	write_bytes("last", "12\0", 3);
	assert_int_equal(sysfs__read(tree.root, "last", buf, sizeof(buf)), -EINVAL);
}

static void a_path_that_is_not_a_file_is_an_error(void **state)
{
	char buf[8], *path = malloc(2 * PATH_MAX);

	(void)state;
	assert_non_null(path);
	assert_int_equal(sysfs__read(tree.root, "missing", buf, sizeof(buf)), -ENOENT);
	fake_tree__write(&tree, "1", "folder/file");
	assert_int_equal(sysfs__read(tree.root, "folder", buf, sizeof(buf)), -EISDIR);
	assert_int_equal(sysfs__read(tree.root, "folder/file/below", buf, sizeof(buf)), -ENOTDIR);
	memset(path, 'x', 2 * PATH_MAX);
	path[2 * PATH_MAX - 1] = '\0';
	assert_int_equal(sysfs__read(tree.root, path, buf, sizeof(buf)), -ENAMETOOLONG);
	free(path);
}

/*
 * Another file system could be mounted over the file. pstat must not block on a pipe without a
 * writer.
 */
static void a_pipe_is_not_read(void **state)
{
	char path[PATH_MAX], buf[8];

	(void)state;
	snprintf(path, sizeof(path), "%s/pipe", tree.root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(sysfs__read(tree.root, "pipe", buf, sizeof(buf)), 0);
}

static void no_file_stays_open(void **state)
{
	int before = dup(0), after;
	char buf[8];

	(void)state;
	close(before);
	write_bytes("nul", "1\0002", 3);
	sysfs__read(tree.root, "nul", buf, sizeof(buf));
	sysfs__read(tree.root, "missing", buf, sizeof(buf));
	sysfs__read(tree.root, "", buf, sizeof(buf));
	fake_tree__write(&tree, "123456789", "long");
	sysfs__read(tree.root, "long", buf, sizeof(buf));
	after = dup(0);
	close(after);
	assert_int_equal(after, before);
}

static void numbers_have_the_prefixes_of_c(void **state)
{
	uint64_t value = 7;

	(void)state;
	fake_tree__write(&tree, "18446744073709551615", "decimal");
	assert_int_equal(sysfs__read_u64(tree.root, "decimal", &value), 0);
	assert_true(value == UINT64_MAX);
	fake_tree__write(&tree, "0x1f", "hexadecimal");
	assert_int_equal(sysfs__read_u64(tree.root, "hexadecimal", &value), 0);
	assert_int_equal(value, 31);
	fake_tree__write(&tree, "017", "octal");
	assert_int_equal(sysfs__read_u64(tree.root, "octal", &value), 0);
	assert_int_equal(value, 15);
}

static void a_file_without_a_number_leaves_the_value(void **state)
{
	static const char *const texts[] = { "", "-1", "1 2", "x", "4294967296 kB" };
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fake_tree__write(&tree, texts[i], "no-number");
		assert_int_equal(sysfs__read_u64(tree.root, "no-number", &value), -EINVAL);
	}
	fake_tree__write(&tree, "18446744073709551616", "large");
	assert_int_equal(sysfs__read_u64(tree.root, "large", &value), -ERANGE);
	assert_int_equal(sysfs__read_u64(tree.root, "missing", &value), -ENOENT);
	assert_int_equal(value, 7);
}

static void the_host_has_its_usual_roots(void **state)
{
	const struct sysroots *host = sysroots__host();

	(void)state;
	assert_string_equal(host->sysfs, "/sys");
	assert_string_equal(host->procfs, "/proc");
	assert_string_equal(host->tracefs, "/sys/kernel/tracing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_read_without_its_last_white_space,
						make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(inner_newlines_are_kept, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(an_empty_file_is_an_empty_string, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(
			a_file_that_just_fits_is_read_and_one_byte_more_is_too_much, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(a_file_with_a_nul_byte_is_not_text, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(a_path_that_is_not_a_file_is_an_error, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(a_pipe_is_not_read, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(no_file_stays_open, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(numbers_have_the_prefixes_of_c, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(a_file_without_a_number_leaves_the_value, make_tree,
						remove_tree),
		cmocka_unit_test(the_host_has_its_usual_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
