// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the options are consistent, and their rules name options that exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "builtin/options/option-rows.h"

static bool is_in_both(const struct option_row *one, const struct option_row *other)
{
	for (enum option_command command = OF_STAT; command < OPTION_COMMAND_NR; command++)
		if (option_row__help(one, command) && option_row__help(other, command))
			return true;
	return false;
}

static void assert_names_differ(const struct option_row *one, bool on,
				const struct option_row *other, bool other_on)
{
	char name[OPTION_NAME_MAX], other_name[OPTION_NAME_MAX];

	if ((one == other && on == other_on) || (!on && !(one->flags & NEGATABLE)) ||
	    (!other_on && !(other->flags & NEGATABLE)))
		return;
	option_row__format_long(one, on, name);
	option_row__format_long(other, other_on, other_name);
	assert_string_not_equal(name, other_name);
}

static void no_two_options_of_a_command_have_the_same_name(void **state)
{
	(void)state;
	for_each_option_row(one) {
		for_each_option_row(other) {
			if (!is_in_both(one, other))
				continue;
			if (one != other && one->letter)
				assert_int_not_equal(one->letter, other->letter);
			for (int forms = 0; forms < 4; forms++)
				assert_names_differ(one, forms & 1, other, forms & 2);
		}
	}
}

static void each_name_is_found(void **state)
{
	char name[OPTION_NAME_MAX];

	(void)state;
	for_each_option_row(row) {
		option_row__format(row, name);
		assert_ptr_equal(option_rows__find(name, strlen(name)), row);
		snprintf(name, sizeof(name), "--%s", row->name);
		assert_ptr_equal(option_rows__find(name, strlen(name)), row);
	}
	assert_null(option_rows__find("--pi", 4));
	assert_null(option_rows__find("-Q", 2));
}

static void each_rule_names_options_that_exist(void **state)
{
	(void)state;
	for_each_option_row(row) {
		for (const struct option_rule *rule = row->rules; rule && rule->kind; rule++) {
			const char *names = rule->others;

			assert_true(*rule->why);
			for (size_t len; *names; names += len + (names[len] == ' ')) {
				const struct option_row *other;

				len = strcspn(names, " ");
				other = option_rows__find(names, len);
				assert_non_null(other);
				assert_ptr_not_equal(other, row);
				assert_true(is_in_both(row, other));
			}
		}
	}
}

static void each_row_is_complete(void **state)
{
	(void)state;
	for_each_option_row(row) {
		const struct option_value *value = &row->value;

		assert_true(row->help || row->profile);
		assert_true(strlen(row->name) + sizeof("--no-") <= OPTION_NAME_MAX);
		assert_true(!(row->flags & OPTIONAL) || row->arg);
		assert_int_equal(value->kind == OPTION_CALL, value->take != NULL);
		if (value->kind == OPTION_NUMBER) {
			assert_true(value->what && value->unit && value->min < value->max);
			assert_true(value->size == sizeof(uint64_t) || value->max <= UINT32_MAX);
		}
		/* Flags have no value. All other options have one. */
		if (value->kind == OPTION_BOOL || value->kind == OPTION_COUNT)
			assert_null(row->arg);
		if (value->kind == OPTION_NUMBER || value->kind == OPTION_TEXT ||
		    value->kind == OPTION_WORD)
			assert_non_null(row->arg);
	}
}

static void only_flags_share_a_field(void **state)
{
	(void)state;
	for_each_option_row(one) {
		for_each_option_row(other) {
			const struct option_value *a = &one->value, *b = &other->value;

			if (one == other || !a->size || !b->size || a->in_raw != b->in_raw ||
			    !is_in_both(one, other))
				continue;
			if (a->at + a->size <= b->at || b->at + b->size <= a->at)
				continue;
			assert_true(a->kind == OPTION_BOOL && b->kind == OPTION_BOOL &&
				    a->at == b->at);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_options_of_a_command_have_the_same_name),
		cmocka_unit_test(each_name_is_found),
		cmocka_unit_test(each_rule_names_options_that_exist),
		cmocka_unit_test(each_row_is_complete),
		cmocka_unit_test(only_flags_share_a_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
