// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch records of CPUs: how the kernel's entries are decoded, and how the two ends of a branch
 * are named. The entries are made by hand, in the layout of struct perf_branch_entry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "util/base/strbuf.h"
#include "util/count/branches.h"
#include "util/report/branch-names.h"

#define KERNEL 0xffffffff81000000ULL

static struct branch_block block;
static struct branch list[BRANCHES_MAX];

/* Sets an entry through the kernel's own struct. */
static void set_entry(int nr, uint64_t from, uint64_t to, bool mispredicted, unsigned int cycles)
{
	struct perf_branch_entry entry = { .from = from, .to = to };

	entry.mispred = mispredicted;
	entry.predicted = !mispredicted;
	entry.cycles = cycles & 0xffff;
	entry.abort = 1;
	entry.type = 5;
	_Static_assert(sizeof(entry) == sizeof(block.entries[0]), "the helper fills these");
	memcpy(&block.entries[nr], &entry, sizeof(entry));
}

static void branches_come_in_the_order_of_execution(void **state)
{
	(void)state;
	set_entry(0, KERNEL + 30, KERNEL + 40, true, 65535);
	set_entry(1, KERNEL + 10, KERNEL + 20, false, 0);
	set_entry(2, 0x400000, KERNEL, false, 7);
	block.size = 3 * sizeof(block.entries[0]);
	assert_int_equal(branches__decode(&block, list), 3);
	assert_true(list[0].from == 0x400000 && list[0].to == KERNEL);
	assert_true(list[0].cycles == 7 && !list[0].mispredicted);
	assert_true(list[1].from == KERNEL + 10 && list[1].to == KERNEL + 20);
	assert_true(list[1].cycles == 0);
	assert_true(list[2].from == KERNEL + 30 && list[2].to == KERNEL + 40);
	assert_true(list[2].cycles == 65535 && list[2].mispredicted);
}

static void entries_that_the_cpu_did_not_fill_are_skipped(void **state)
{
	(void)state;
	memset(&block, 0, sizeof(block));
	set_entry(1, KERNEL, KERNEL + 8, false, 0);
	set_entry(2, 0, 0, false, 0);
	block.size = 4 * sizeof(block.entries[0]);
	assert_int_equal(branches__decode(&block, list), 1);
	assert_true(list[0].from == KERNEL);
	block.size = 0;
	assert_int_equal(branches__decode(&block, list), 0);
}

static void a_full_block_has_all_entries(void **state)
{
	(void)state;
	for (int i = 0; i < BRANCHES_MAX; i++)
		set_entry(i, KERNEL + (uint64_t)i, KERNEL, false, 0);
	block.size = sizeof(block.entries);
	assert_int_equal(branches__decode(&block, list), BRANCHES_MAX);
	assert_true(list[0].from == KERNEL + BRANCHES_MAX - 1);
}

static void errors_and_invalid_sizes_are_errors(void **state)
{
	(void)state;
	block.size = -ENOENT;
	assert_int_equal(branches__decode(&block, list), -ENOENT);
	assert_string_equal(branches__strerror(-ENOENT), "this CPU has no branch records");
	assert_string_equal(branches__strerror(-EOPNOTSUPP), "this CPU has no branch records");
	assert_string_equal(branches__strerror(-EACCES), strerror(EACCES));
	block.size = -5000;
	assert_int_equal(branches__decode(&block, list), -EPROTO);
	block.size = sizeof(block.entries[0]) - 1;
	assert_int_equal(branches__decode(&block, list), -EPROTO);
	block.size = sizeof(block.entries) + sizeof(block.entries[0]);
	assert_int_equal(branches__decode(&block, list), -EPROTO);
}

/* ---- names ---- */

static void functions_of_processes_have_names_and_lines(void **state)
{
	/* inside the function, not at its first instruction */
	uint64_t inside = (uint64_t)(uintptr_t)branches_come_in_the_order_of_execution + 4;
	struct branch_names *names = branch_names__new();
	struct strbuf place = STRBUF_INIT, line = STRBUF_INIT;

	(void)state;
	assert_non_null(names);
	assert_int_equal(branch_names__add(names, inside, getpid(), 0, &place, &line), 0);
	assert_string_equal(place.text, "branches_come_in_the_order_of_execution");
	/* The build has debug information. */
	assert_non_null(strstr(line.text, "test_branches.c:"));
	strbuf__reset(&place);
	strbuf__reset(&line);
	assert_int_equal(branch_names__add(names, 0x10, getpid(), 0, &place, &line), 0);
	assert_string_equal(place.text, "0x10");
	assert_string_equal(line.text, "");
	strbuf__free(&place);
	strbuf__free(&line);
	branch_names__free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_come_in_the_order_of_execution),
		cmocka_unit_test(entries_that_the_cpu_did_not_fill_are_skipped),
		cmocka_unit_test(a_full_block_has_all_entries),
		cmocka_unit_test(errors_and_invalid_sizes_are_errors),
		cmocka_unit_test(functions_of_processes_have_names_and_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
