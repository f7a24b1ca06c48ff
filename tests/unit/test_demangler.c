// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/one-tree.h"

#include <stdio.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/machine/symbols/demangle-child.h"
#include "util/machine/symbols/demangler.h"

static void expect(struct demangler *demangler, const char *name, const char *wanted)
{
	const char *found = demangler__name(demangler, name, false);

	assert_non_null(found);
	assert_string_equal(found, wanted);
	/* The answer is kept. */
	if (strcmp(name, wanted) != 0)
		assert_ptr_equal(demangler__name(demangler, name, false), found);
}

static void names_of_cpp_and_rust_become_readable(void **state)
{
	struct demangler *demangler = demangler__new();

	(void)state;
	expect(demangler, "_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back(int const&)");
	expect(demangler, "_Z3fooi.part.0", "foo(int) [clone .part.0]");
	expect(demangler, "_ZSt9terminatev@plt", "std::terminate()@plt");
	expect(demangler, "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
	       "core::fmt::Formatter::pad");
	expect(demangler, "_RNvCs4fqI2P2rA04_7mycrate3foo", "mycrate::foo");
	demangler__free(demangler);
}

static void other_names_stay_as_they_are(void **state)
{
	static const char *const names[] = {
		"main",	 "",	   "_",		 "_Z",	   "_R",       "_Zfoo",
		"_init", "@plt",   "_Z@plt",	 "_ZN3fo", "_GLOBAL_", "_GLOBAL__sub_I_main",
		"_Z1f ", "_Z\xff", "_ZN99999aE",
	};
	struct demangler *demangler = demangler__new();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(demangler, names[i], names[i]);
	demangler__free(demangler);
}

static void names_that_are_too_long_stay_or_are_cut(void **state)
{
	struct demangler *demangler = demangler__new();
	static char name[DEMANGLE_MOST_IN + 2];
	const char *found;
	int len = 6000;

	(void)state;
	/* libiberty's own limit is 1024 bytes */
	snprintf(name, sizeof(name), "_Z%d", len);
	memset(name + strlen(name), 'a', (size_t)len);
	strcat(name, "v");
	found = demangler__name(demangler, name, false);
	assert_int_equal(strlen(found), DEMANGLE_MOST_OUT);
	assert_int_equal(strspn(found, "a"), DEMANGLE_MOST_OUT);
	memset(name, 'a', DEMANGLE_MOST_IN + 1);
	memcpy(name, "_Z1f", 4);
	assert_ptr_equal(demangler__name(demangler, name, false), name);
	demangler__free(demangler);
}

/*
 * Each parameter is a template whose two arguments are the previous parameter, so the readable name
 * would have 2^60 parts.
 */
static void make_hostile(char *name, size_t size, int nr)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int len = snprintf(name, size, "_Z4f%03d1AI1BS0_E", nr);

	for (int i = 1; i < 61; i++) {
		char last[4] = { digits[i % 36] };

		if (i >= 36) {
			last[0] = '1';
			last[1] = digits[i % 36];
		}
		len += snprintf(name + len, size - (size_t)len, "S_IS%s_S%s_E", last, last);
	}
}

static void hostile_names_are_unchanged_and_cost_little(void **state)
{
	const char good[] = "_Z3foov", other[] = "_Z3barv";
	struct demangler *demangler = demangler__new();
	uint64_t begun = clock__now();
	char name[2048];

	(void)state;
	log__set_level(LOG_ERROR);
	for (int i = 0; i < 2 * DEMANGLER_MOST_FAILED; i++) {
		make_hostile(name, sizeof(name), i);
		expect(demangler, name, name);
		if (!i)
			expect(demangler, good, "foo()");
	}
	/* The CPU time is limited, because this machine may be busy. */
	assert_true(clock__now() - begun < 60 * NSEC_PER_SEC);
	/* Names that were found before are still known. Other names are no longer looked up. */
	expect(demangler, good, "foo()");
	expect(demangler, other, other);
	assert_string_equal(demangler__name(demangler, "_Z3bazv", true), "baz()");
	demangler__free(demangler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_cpp_and_rust_become_readable),
		cmocka_unit_test(other_names_stay_as_they_are),
		cmocka_unit_test(names_that_are_too_long_stay_or_are_cut),
		cmocka_unit_test(hostile_names_are_unchanged_and_cost_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
