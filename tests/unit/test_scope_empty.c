// SPDX-License-Identifier: GPL-2.0-only
/* The functions at which the cost of probes in programs is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/count/scope/scope-empty.h"
#include "util/machine/scope/scope.h"

#define CODE_BYTES 5

/*
 * Returns the functions for runs that begin at instructions with the first bytes @codes, and end at
 * other instructions (SCOPE_CLASS_POINT) or at the return of a function.
 */
static struct scope_empty chosen(int nr, const uint8_t (*codes)[CODE_BYTES], enum scope_class class)
{
	char path[] = "/tmp/pstat-unit.XXXXXX";
	struct scope_file file = { .path = path, .fd = mkstemp(path) };
	struct scope_point points[4] = { { .kind = POINT_UPROBE } };
	struct scope_point end = { .kind = POINT_UPROBE, .at_return = class == SCOPE_CLASS_USER };
	struct scope scope = { .begin = points, .nr_begin = nr, .end = &end, .nr_end = 1 };
	const struct scope_list list = { .scopes = &scope, .nr = 1, .files = &file, .nr_files = 1 };
	struct scope_empty empty;

	assert_true(file.fd >= 0);
	for (int i = 0; i < nr; i++) {
		assert_int_equal(pwrite(file.fd, codes[i], CODE_BYTES, i * 16), CODE_BYTES);
		points[i].offset = (uint64_t)i * 16;
	}
	empty = scope_empty__for(&list, class);
	close(file.fd);
	unlink(path);
	return empty;
}

static struct scope_empty chosen_for(uint8_t first, uint8_t second)
{
	const uint8_t code[1][CODE_BYTES] = { { first, second } };

	return chosen(1, code, SCOPE_CLASS_USER);
}

static void most_points_decide(void **state)
{
	const struct scope_empty push = chosen_for(0x55, 0), test = chosen_for(0x85, 0xff);
	const uint8_t both[3][CODE_BYTES] = { { 0x55 },
					      { 0x85, 0xff },
					      { 0xf3, 0x0f, 0x1e, 0xfa } };

	(void)state;
	assert_non_null(push.alone);
	assert_non_null(push.outer);
#ifdef __x86_64__
	assert_true(push.alone != test.alone && push.outer != test.outer);
#else
	assert_true(push.alone == test.alone && push.outer == test.outer);
#endif
	assert_true(chosen(2, both, SCOPE_CLASS_USER).alone == push.alone);
	assert_true(chosen(3, both, SCOPE_CLASS_USER).alone == test.alone);
	/* push %r12, nop of one byte, jump; then push with another prefix, endbr64 */
	assert_true(chosen_for(0x41, 0x54).alone == push.alone);
	assert_true(chosen_for(0x90, 0).alone == push.alone);
	assert_true(chosen_for(0x0f, 0x84).alone == push.alone);
	assert_true(chosen_for(0x40, 0x55).alone == test.alone);
	assert_true(chosen_for(0xf3, 0x0f).alone == test.alone);
}

static struct scope_empty points_at(const uint8_t *code)
{
	uint8_t one[1][CODE_BYTES];

	memcpy(one[0], code, CODE_BYTES);
	return chosen(1, one, SCOPE_CLASS_POINT);
}

/* The instructions under probes that the kernel treats differently have their own pairs. */
static void two_points_have_no_return(void **state)
{
	static const uint8_t codes[][CODE_BYTES] = {
#ifdef __x86_64__
		{ 0x90 },
		{ 0x55 },
		{ 0x0f, 0x1f, 0x44, 0, 0 },
		{ 0x48, 0x89, 0xe5 },
#else
		{ 0x1f, 0x20, 0x03, 0xd5 },
		{ 0x5f, 0x24, 0x03, 0xd5 },
#endif
	};
	const size_t nr = sizeof(codes) / sizeof(*codes);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		struct scope_empty one = points_at(codes[i]);

		assert_true(one.alone && one.outer && one.alone_end && one.outer_end);
		/* in the process that measures, the instructions are those of the points */
		assert_true((uintptr_t)one.alone_end > (uintptr_t)one.alone);
		assert_true((uintptr_t)one.outer_end > (uintptr_t)one.outer);
		if (i < nr - 1) {
			size_t size = (size_t)((uintptr_t)one.alone_end - (uintptr_t)one.alone);

			assert_memory_equal((const void *)(uintptr_t)one.alone, codes[i], size);
			assert_memory_equal((const void *)(uintptr_t)one.outer, codes[i], size);
		}
		for (size_t other = 0; other < i; other++)
			assert_true(points_at(codes[other]).alone != one.alone);
		one.alone();
		one.outer();
	}
	assert_null(chosen(1, codes, SCOPE_CLASS_USER).alone_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(most_points_decide),
					    cmocka_unit_test(two_points_have_no_return) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
