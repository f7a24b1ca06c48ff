// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/base/table.h"

static void expect(const char *lines, unsigned int right, const char *table)
{
	struct strbuf sb = STRBUF_INIT;

	table__align(&sb, lines, right);
	assert_string_equal(sb.text, table);
	strbuf__free(&sb);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
	(void)state;
	expect("", 0, "");
	expect("id\tname\tend\n7\ta\tx y\n12345\tlonger\tz\n", 0,
	       "id     name    end\n7      a       x y\n12345  longer  z\n");
}

static void numbers_stand_at_the_right_and_nothing_is_behind_a_last_cell(void **state)
{
	(void)state;
	expect("id\tname\truns\n7\ta\t100000\n12345\tb\t3\n", 1 | 4,
	       "   id  name    runs\n    7  a     100000\n12345  b          3\n");
}

static void lines_may_have_different_numbers_of_cells(void **state)
{
	(void)state;
	expect("a very long line alone\na\tb\n\n", 0, "a very long line alone\na                       b\n\n");
}

static void more_columns_than_a_table_has_are_no_harm(void **state)
{
	struct strbuf lines = STRBUF_INIT, table = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 3 * TABLE_COLUMNS_MAX; i++) {
		strbuf__addf(&lines, "%sx", i ? "\t" : "");
		strbuf__addf(&table, "%sx", i ? "  " : "");
	}
	strbuf__addc(&lines, '\n');
	strbuf__addc(&table, '\n');
	expect(lines.text, 0, table.text);
	strbuf__free(&lines);
	strbuf__free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
		cmocka_unit_test(numbers_stand_at_the_right_and_nothing_is_behind_a_last_cell),
		cmocka_unit_test(lines_may_have_different_numbers_of_cells),
		cmocka_unit_test(more_columns_than_a_table_has_are_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
