// SPDX-License-Identifier: GPL-2.0-only
/* The functions at which the cost of probes in programs is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "util/count/scope/scope-empty.h"
#include "util/machine/scope/scope.h"

/* Returns the functions for runs that begin at instructions with the first bytes @codes. */
static struct scope_empty chosen(int nr, const uint8_t (*codes)[4])
{
	char path[] = "/tmp/pstat-unit.XXXXXX";
	struct scope_file file = { .path = path, .fd = mkstemp(path) };
	struct scope_point points[4] = { { .kind = POINT_UPROBE } };
	struct scope scope = { .begin = points, .nr_begin = nr };
	const struct scope_list list = { .scopes = &scope, .nr = 1, .files = &file, .nr_files = 1 };
	struct scope_empty empty;

	assert_true(file.fd >= 0);
	for (int i = 0; i < nr; i++) {
		assert_int_equal(pwrite(file.fd, codes[i], 4, i * 16), 4);
		points[i].offset = (uint64_t)i * 16;
	}
	empty = scope_empty__for(&list);
	close(file.fd);
	unlink(path);
	return empty;
}

static struct scope_empty chosen_for(uint8_t first, uint8_t second)
{
	const uint8_t code[1][4] = { { first, second, 0, 0 } };

	return chosen(1, code);
}

static void most_points_decide(void **state)
{
	const struct scope_empty push = chosen_for(0x55, 0), test = chosen_for(0x85, 0xff);
	const uint8_t both[3][4] = { { 0x55 }, { 0x85, 0xff }, { 0xf3, 0x0f, 0x1e, 0xfa } };

	(void)state;
	assert_non_null(push.alone);
	assert_non_null(push.outer);
#ifdef __x86_64__
	assert_true(push.alone != test.alone && push.outer != test.outer);
#else
	assert_true(push.alone == test.alone && push.outer == test.outer);
#endif
	assert_true(chosen(2, both).alone == push.alone);
	assert_true(chosen(3, both).alone == test.alone);
	/* push %r12, nop of one byte, jump; then push with another prefix, endbr64 */
	assert_true(chosen_for(0x41, 0x54).alone == push.alone);
	assert_true(chosen_for(0x90, 0).alone == push.alone);
	assert_true(chosen_for(0x0f, 0x84).alone == push.alone);
	assert_true(chosen_for(0x40, 0x55).alone == test.alone);
	assert_true(chosen_for(0xf3, 0x0f).alone == test.alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(most_points_decide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
