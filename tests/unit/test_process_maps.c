// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/symbols/process-maps.h"

/* The test does not read the objects, so any address will do. */
static char objects[3];
#define OBJECT(i) ((struct object *)(void *)&objects[i])

static void add(struct process_maps *maps, pid_t pid, uint64_t start, uint64_t end, int object)
{
	const struct mapped_range range = { .start = start, .end = end, .object = OBJECT(object) };

	assert_int_equal(process_maps__add(maps, pid, &range), 0);
}

static void expect(const struct process_maps *maps, pid_t pid, uint64_t address, int object)
{
	const struct mapped_range *range = process_maps__find(maps, pid, address);

	if (object < 0) {
		assert_null(range);
		return;
	}
	assert_non_null(range);
	assert_ptr_equal(range->object, OBJECT(object));
}

static void each_process_has_its_own_mappings(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	for (pid_t pid = 100; pid > 0; pid--)
		add(maps, pid, 0x1000, 0x2000, pid % 3);
	for (pid_t pid = 1; pid <= 100; pid++)
		expect(maps, pid, 0x1fff, pid % 3);
	expect(maps, 50, 0x2000, -1);
	expect(maps, 50, 0xfff, -1);
	expect(maps, 101, 0x1000, -1);
	process_maps__free(maps);
}

static void the_last_mapping_hides_earlier_ones(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	add(maps, 1, 0x1000, 0x4000, 0);
	add(maps, 1, 0x2000, 0x3000, 1);
	expect(maps, 1, 0x1500, 0);
	expect(maps, 1, 0x2500, 1);
	add(maps, 1, 0x1000, 0x4000, 2);
	expect(maps, 1, 0x2500, 2);
	process_maps__free(maps);
}

static void a_child_has_the_mappings_of_its_parent_behind_its_own(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	add(maps, 1, 0x1000, 0x2000, 0);
	add(maps, 1, 0x3000, 0x4000, 0);
	/* The exec is reported before the fork. */
	add(maps, 2, 0x1000, 0x2000, 1);
	assert_int_equal(process_maps__copy(maps, 1, 2), 0);
	assert_int_equal(process_maps__copy(maps, 77, 2), 0);
	expect(maps, 2, 0x1000, 1);
	expect(maps, 2, 0x3000, 0);
	process_maps__free(maps);
	process_maps__free(NULL);
}

static void of_the_processes_that_have_ended_the_last_ones_are_kept(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	for (pid_t pid = 1; pid <= 2 * ENDED_KEPT; pid++) {
		add(maps, pid, 0x1000, 0x2000, pid % 3);
		process_maps__end(maps, pid);
	}
	process_maps__end(maps, 3 * ENDED_KEPT);
	expect(maps, 1, 0x1000, -1);
	expect(maps, 2 * ENDED_KEPT, 0x1000, 2 * ENDED_KEPT % 3);
	expect(maps, ENDED_KEPT + 2, 0x1000, (ENDED_KEPT + 2) % 3);
	process_maps__free(maps);
}

/*
 * Compares the ranges that are found with the result of a slow search: of the ranges that contain
 * the address, the one that was added last.
 */
static void addresses_are_found_as_in_a_list(void **state)
{
	enum { NR = 3000, PAGES = 400 };
	struct process_maps *maps = process_maps__new();
	int last[2][PAGES]; /* [process][page]: index of the last range; -1: none */

	(void)state;
	memset(last, -1, sizeof(last));
	srandom(1);
	for (int i = 0; i < NR; i++) {
		const int start = (int)(random() % PAGES), pages = 1 + (int)(random() % 20),
			  object = i % 3;
		const pid_t pid = 1 + (i > NR / 2 && i % 2);

		if (i == NR / 2) {
			/* From here on, each process has the ranges so far and adds its own. */
			assert_int_equal(process_maps__copy(maps, 1, 2), 0);
			memcpy(last[1], last[0], sizeof(last[0]));
		}
		add(maps, pid, (uint64_t)start * 4096, (uint64_t)(start + pages) * 4096, object);
		for (int page = start; page < start + pages && page < PAGES; page++)
			last[pid - 1][page] = object;
		if (i % 50 && i != NR - 1)
			continue;
		for (int page = 0; page < PAGES; page++) {
			expect(maps, 1, (uint64_t)page * 4096 + 5, last[0][page]);
			if (i >= NR / 2)
				expect(maps, 2, (uint64_t)page * 4096 + 5, last[1][page]);
		}
	}
	process_maps__free(maps);
}

static void a_part_of_a_range_has_its_own_offset(void **state)
{
	const struct mapped_range whole = {
		.start = 0x1000, .end = 0x9000, .offset = 0x100, .object = OBJECT(0)
	};
	struct process_maps *maps = process_maps__new();
	const struct mapped_range *found;

	(void)state;
	assert_int_equal(process_maps__add(maps, 1, &whole), 0);
	/* Adds enough other ranges to cause a merge. */
	for (uint64_t i = 0; i < 100; i++)
		add(maps, 1, 0x3000, 0x4000, 1);
	found = process_maps__find(maps, 1, 0x5000);
	assert_int_equal(found->offset + (0x5000 - found->start), 0x4100);
	process_maps__free(maps);
}

/* A process forks another one, which forks a third one, and so on. Each of them maps something. */
static void a_long_chain_of_forks_keeps_the_first_mappings(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	add(maps, 1, 0x1000, 0x2000, 0);
	for (pid_t pid = 1; pid < 1000; pid++) {
		assert_int_equal(process_maps__copy(maps, pid, pid + 1), 0);
		add(maps, pid + 1, 0x1000u * (unsigned int)(pid + 2),
		    0x1000u * (unsigned int)(pid + 3), 1);
		process_maps__end(maps, pid);
	}
	expect(maps, 1000, 0x1800, 0);
	for (pid_t pid = 1; pid < 1000; pid++)
		expect(maps, 1000, 0x1000u * (unsigned int)(pid + 2), 1);
	expect(maps, 500, 0x1000u * 502, -1);
	process_maps__free(maps);
}

static void the_mappings_of_one_process_are_limited(void **state)
{
	struct mapped_range range = { .object = OBJECT(0) };
	struct process_maps *maps = process_maps__new();
	int err = 0, nr = 0;

	(void)state;
	/* Places ranges as mmap() does: each below the previous one. */
	for (; !err && nr < 2 * MOST_RANGES; nr++) {
		range.start = ((uint64_t)1 << 40) - 0x2000 * (uint64_t)nr;
		range.end = range.start + 0x1000;
		err = process_maps__add(maps, 1, &range);
	}
	assert_int_equal(err, -E2BIG);
	assert_in_range(nr, MOST_RANGES, MOST_RANGES + 100);
	expect(maps, 1, (uint64_t)1 << 40, 0);
	add(maps, 2, 0x1000, 0x2000, 1);
	expect(maps, 2, 0x1000, 1);
	process_maps__free(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_has_its_own_mappings),
		cmocka_unit_test(the_last_mapping_hides_earlier_ones),
		cmocka_unit_test(a_child_has_the_mappings_of_its_parent_behind_its_own),
		cmocka_unit_test(of_the_processes_that_have_ended_the_last_ones_are_kept),
		cmocka_unit_test(addresses_are_found_as_in_a_list),
		cmocka_unit_test(a_part_of_a_range_has_its_own_offset),
		cmocka_unit_test(a_long_chain_of_forks_keeps_the_first_mappings),
		cmocka_unit_test(the_mappings_of_one_process_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
