// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "util/base/string-set.h"

static void equal_strings_are_one_pointer(void **state)
{
	struct string_set *set = string_set__new();
	char first[] = "main", second[] = "main";

	(void)state;
	assert_ptr_equal(string_set__get(set, first), string_set__get(set, second));
	assert_ptr_not_equal(string_set__get(set, first), first);
	assert_ptr_not_equal(string_set__get(set, "main"), string_set__get(set, "mainx"));
	assert_string_equal(string_set__get(set, ""), "");
	string_set__free(set);
	string_set__free(NULL);
}

static void strings_stay_where_they_are(void **state)
{
	struct string_set *set = string_set__new();
	const char *strings[5000];
	char text[16];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		strings[i] = string_set__get(set, text);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "s%d", i);
		assert_string_equal(strings[i], text);
		assert_ptr_equal(string_set__get(set, text), strings[i]);
	}
	string_set__free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_are_one_pointer),
		cmocka_unit_test(strings_stay_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
