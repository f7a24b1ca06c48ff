// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/utsname.h>

#include "util/machine/kernel-release.h"

static void releases_are_compared_by_their_numbers(void **state)
{
	static const struct {
		const char *release;
		int major, minor;
		bool reaches;
	} rows[] = {
		{ "6.16.0", 6, 16, true },
		{ "6.15.9-200.fc42", 6, 16, false },
		{ "6.16-rc1", 6, 16, true },
		{ "7.0.0", 6, 16, true },
		{ "5.18.0-g1234", 5, 18, true },
		{ "5.4.0-150-generic", 5, 18, false },
		{ "10.0", 9, 99, true },
		{ "5", 5, 0, false },
		{ "", 0, 0, false },
		{ "next-20250101", 0, 0, false },
		{ "4.18.0-553.el8.x86_64", 5, 18, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			kernel_release__reaches(rows[i].release, rows[i].major, rows[i].minor),
			rows[i].reaches);
}

static void this_kernel_has_its_own_release(void **state)
{
	struct utsname host;

	(void)state;
	assert_int_equal(uname(&host), 0);
	for (int minor = 0; minor < 100; minor++)
		assert_int_equal(kernel_release__is_since(6, minor),
				 kernel_release__reaches(host.release, 6, minor));
	assert_true(kernel_release__is_since(2, 6));
	assert_false(kernel_release__is_since(1000, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_compared_by_their_numbers),
		cmocka_unit_test(this_kernel_has_its_own_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
