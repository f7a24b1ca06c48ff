// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/one-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/pending-signal.h"
#include "util/machine/symbols/perf-map.h"
#include "util/machine/symbols/symbol-table.h"

static int read_map(struct symbol_table **table, const char *text, size_t len)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "%s/perf-1.map", tree.root);
	assert_int_equal(made_files__write(tree.root, "perf-1.map", text, len), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	*table = symbol_table__new();
	assert_non_null(*table);
	err = perf_map__read(*table, fd);
	close(fd);
	return err;
}

static void expect(struct symbol_table *table, uint64_t address, const char *name)
{
	const struct symbol *found = symbol_table__find(table, address);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found->name, name);
}

static void lines_are_functions(void **state)
{
	static const char text[] = "7f001000 20 LazyCompile:*f a b.js:1\r\n"
				   "0x7f002000 0x10 second\n"
				   "7f001000 10 later\n"
				   "7F003000 5 last";
	struct symbol_table *table;

	(void)state;
	assert_int_equal(read_map(&table, text, strlen(text)), 0);
	assert_int_equal(symbol_table__nr(table), 4);
	expect(table, 0x7f000fff, NULL);
	expect(table, 0x7f001000, "later");
	expect(table, 0x7f001010, NULL);
	expect(table, 0x7f00200f, "second");
	expect(table, 0x7f003004, "last");
	expect(table, 0x7f003005, NULL);
	symbol_table__free(table);
}

static void other_lines_are_skipped(void **state)
{
	static const char text[] = "\n1000\n1000 10\n1000 10 \n 1000 10 f\n-1000 10 f\n1000  10 f\n"
				   "1000 0 f\ng 10 f\n1000 g f\n10000000000000000 10 f\n"
				   "ffffffffffffffff 2 f\n1000\t10\tf\n\0 1000 10 f\n2000 10 good\n"
				   "root:x:0:0:root:/root:/bin/bash\n";
	struct symbol_table *table;

	(void)state;
	assert_int_equal(read_map(&table, text, sizeof(text) - 1), 0);
	assert_int_equal(symbol_table__nr(table), 1);
	expect(table, 0x2000, "good");
	expect(table, 0x1000, NULL);
	symbol_table__free(table);
	assert_int_equal(read_map(&table, "", 0), 0);
	assert_int_equal(symbol_table__nr(table), 0);
	symbol_table__free(table);
}

static void if_there_are_too_many_functions_only_the_first_are_known(void **state)
{
	const size_t nr = PERF_MAP_MOST_FUNCTIONS + 10, width = 12;
	struct symbol_table *table;
	char *text = malloc(nr * width + 1);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < nr; i++)
		snprintf(text + i * width, width + 1, "%07zx 1 f\n", i + 1);
	assert_int_equal(read_map(&table, text, nr * width), -E2BIG);
	expect(table, PERF_MAP_MOST_FUNCTIONS, "f");
	expect(table, PERF_MAP_MOST_FUNCTIONS + 1, NULL);
	symbol_table__free(table);
	free(text);
}

static void a_signal_ends_the_reading(void **state)
{
	struct symbol_table *table;

	(void)state;
	pending_signal__raise();
	pending_signal__wait_until_due();
	assert_int_equal(read_map(&table, "1000 10 f\n", 10), -EINTR);
	pending_signal__take();
	symbol_table__free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_functions),
		cmocka_unit_test(other_lines_are_skipped),
		cmocka_unit_test(if_there_are_too_many_functions_only_the_first_are_known),
		cmocka_unit_test(a_signal_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
