// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/machine/process-maps.h"

/* Objects are not looked into here: any address will do. */
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

static void each_process_has_its_own(void **state)
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

static void what_is_mapped_last_is_there(void **state)
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

static void a_child_has_its_parents_behind_its_own(void **state)
{
	struct process_maps *maps = process_maps__new();

	(void)state;
	add(maps, 1, 0x1000, 0x2000, 0);
	add(maps, 1, 0x3000, 0x4000, 0);
	/* told of the exec before the fork */
	add(maps, 2, 0x1000, 0x2000, 1);
	assert_int_equal(process_maps__copy(maps, 1, 2), 0);
	assert_int_equal(process_maps__copy(maps, 77, 2), 0);
	expect(maps, 2, 0x1000, 1);
	expect(maps, 2, 0x3000, 0);
	process_maps__free(maps);
	process_maps__free(NULL);
}

static void of_those_that_have_ended_the_last_are_kept(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_has_its_own),
		cmocka_unit_test(what_is_mapped_last_is_there),
		cmocka_unit_test(a_child_has_its_parents_behind_its_own),
		cmocka_unit_test(of_those_that_have_ended_the_last_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
