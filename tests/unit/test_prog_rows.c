// SPDX-License-Identifier: GPL-2.0-only
/* The row of each BPF program of -b, and the sums of the rows. */
#include "tests/unit/stat-fixture.h"

#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-sums.h"
#include "util/machine/bpf/bpf-prog.h"

static void sums_are_extended_by_rows_and_add_up(void **state)
{
	struct prog_sums a = { .nr_cpus = 2, .nr_events = 1 }, b = a;

	(void)state;
	assert_int_equal(prog_sums__widen(&a, 1), 0);
	*prog_sums__runs(&a, 0, 1) = 4;
	prog_sums__readings(&a, 0, 1)->value = 40;
	assert_int_equal(prog_sums__widen(&b, 3), 0);
	*prog_sums__runs(&b, 2, 0) = 1;
	prog_sums__add(&b, &a);
	assert_int_equal(*prog_sums__runs(&b, 0, 1), 4);
	assert_int_equal(prog_sums__readings(&b, 0, 1)->value, 40);
	assert_int_equal(prog_sums__readings(&b, 1, 1)->value, 0);
	assert_int_equal(prog_sums__widen(&a, 3), 0);
	prog_sums__add(&a, &b);
	assert_int_equal(*prog_sums__runs(&a, 0, 1), 8);
	assert_int_equal(*prog_sums__runs(&a, 2, 0), 1);
	assert_int_equal(*prog_sums__runs(&a, 1, 0), 0);
	prog_sums__free(&a);
	prog_sums__free(&b);
}

struct list_fixture {
	struct prog_list list;
	struct prog_entry entries[8];
	struct bpf_prog progs[8];
	struct subjects rows;
};

static void come(struct list_fixture *l, char *name, uint32_t id)
{
	int nr = l->list.nr++;

	l->list.entries = l->entries;
	l->progs[nr] = (struct bpf_prog){ .id = id, .name = name };
	l->entries[nr] = (struct prog_entry){ .target.prog = &l->progs[nr], .row = -1 };
}

static void expect_rows(struct list_fixture *l, const int *rows)
{
	assert_int_equal(prog_list__assign_rows(&l->list, &l->rows, false), 0);
	for (int i = 0; i < l->list.nr; i++)
		assert_int_equal(l->entries[i].row, rows[i]);
}

static void programs_with_one_name_at_the_same_time_have_a_row_each(void **state)
{
	struct list_fixture l = {};
	static char a[] = "a", b[] = "b";

	(void)state;
	come(&l, a, 3);
	come(&l, a, 4);
	come(&l, b, 5);
	assert_false(prog_list__is_waiting(&l.list, &l.rows));
	expect_rows(&l, (int[]){ 0, 1, 2 });
	come(&l, a, 6);
	assert_true(prog_list__is_waiting(&l.list, &l.rows));
	expect_rows(&l, (int[]){ 0, 1, 2, 3 });
	assert_int_equal(l.rows.nr, 4);
	subjects__free(&l.rows);
}

static void a_program_continues_the_row_of_an_unloaded_program(void **state)
{
	struct list_fixture l = {};
	static char a[] = "a";

	(void)state;
	come(&l, a, 3);
	come(&l, a, 4);
	expect_rows(&l, (int[]){ 0, 1 });
	l.entries[1].gone = true;
	come(&l, a, 6);
	expect_rows(&l, (int[]){ 0, 1, 1 });
	assert_int_equal(l.rows.list[1].id, 6);
	/* an older program is not a reload of a newer one */
	l.entries[2].gone = true;
	come(&l, a, 5);
	expect_rows(&l, (int[]){ 0, 1, 1, 2 });
	subjects__free(&l.rows);
}

static void in_the_next_repetition_a_program_has_the_same_row(void **state)
{
	struct list_fixture l = {}, next = {};
	static char a[] = "a";

	(void)state;
	come(&l, a, 3);
	come(&l, a, 4);
	expect_rows(&l, (int[]){ 0, 1 });
	next.rows = l.rows;
	come(&next, a, 4);
	come(&next, a, 9);
	expect_rows(&next, (int[]){ 1, 0 });
	subjects__free(&next.rows);
}

static void on_request_only_unloaded_programs_get_rows(void **state)
{
	struct list_fixture l = {};
	static char a[] = "a";

	(void)state;
	come(&l, a, 3);
	come(&l, a, 4);
	l.entries[1].gone = true;
	assert_int_equal(prog_list__assign_rows(&l.list, &l.rows, true), 0);
	assert_int_equal(l.entries[0].row, -1);
	assert_int_equal(l.entries[1].row, 0);
	expect_rows(&l, (int[]){ 1, 0 });
	subjects__free(&l.rows);
}

static void without_options_for_rows_all_programs_are_added_up_in_one_row(void **state)
{
	struct list_fixture l = {};
	static char a[] = "a", b[] = "b";

	(void)state;
	come(&l, a, 3);
	come(&l, b, 4);
	assert_int_equal(prog_list__assign_rows(&l.list, NULL, false), 0);
	assert_int_equal(l.entries[0].row, 0);
	assert_int_equal(l.entries[1].row, 0);
	assert_false(prog_list__is_waiting(&l.list, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_extended_by_rows_and_add_up),
		cmocka_unit_test(programs_with_one_name_at_the_same_time_have_a_row_each),
		cmocka_unit_test(a_program_continues_the_row_of_an_unloaded_program),
		cmocka_unit_test(in_the_next_repetition_a_program_has_the_same_row),
		cmocka_unit_test(on_request_only_unloaded_programs_get_rows),
		cmocka_unit_test(without_options_for_rows_all_programs_are_added_up_in_one_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
