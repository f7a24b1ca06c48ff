// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <math.h>

#include "tests/unit/use-locale.h"
#include "util/base/decimal.h"
#include "util/base/strbuf.h"

static void expect_text(double value, int decimals, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	decimal__add(&sb, value, decimals);
	assert_string_equal(sb.text, text);
	strbuf__free(&sb);
}

static void values_are_rounded_as_printf_does(void **state)
{
	(void)state;
	expect_text(0.0, 2, "0.00");
	expect_text(2.005, 2, "2.00");
	expect_text(2.5, 0, "2");
	expect_text(1234567.891, 3, "1234567.891");
	expect_text(-1.25, 1, "-1.2");
	expect_text(18446744073709551615.0, 0, "18446744073709551616");
}

static void texts_that_are_not_numbers_are_zero(void **state)
{
	(void)state;
	expect_text((double)NAN, 2, "0.00");
	expect_text((double)-INFINITY, 0, "0");
}

static void text_is_read_as_one_number_or_none(void **state)
{
	(void)state;
	assert_true(decimal__parse("1.5e3x", 5) == 1500.0);
	assert_true(decimal__parse("0.25", 4) == 0.25);
	assert_true(isinf(decimal__parse("1e999", 5)));
	assert_true(isnan(decimal__parse("", 0)));
	assert_true(isnan(decimal__parse("1,5", 3)));
	assert_true(isnan(decimal__parse("x", 1)));
}

static void the_largest_number_fits(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	decimal__add(&sb, -1.7976931348623157e308, 40);
	assert_int_equal(sb.len, 1 + 309 + 1 + 20);
	strbuf__free(&sb);
}

/* de_DE uses a comma, and ps_AF a decimal point of two bytes. */
static void the_decimal_point_is_a_point_in_every_locale(void **state)
{
	static const char *const names[] = { "de_DE", "ps_AF" };
	int used = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct use_locale locale = { "" };

		if (use_locale(&locale, names[i])) {
			used++;
			assert_string_not_equal(localeconv()->decimal_point, ".");
			expect_text(1234567.5, 2, "1234567.50");
			expect_text(-0.25, 2, "-0.25");
			expect_text(7.0, 0, "7");
		}
		unuse_locale(&locale);
	}
	if (!used) {
		print_message("localedef makes neither de_DE nor ps_AF here\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_rounded_as_printf_does),
		cmocka_unit_test(texts_that_are_not_numbers_are_zero),
		cmocka_unit_test(text_is_read_as_one_number_or_none),
		cmocka_unit_test(the_largest_number_fits),
		cmocka_unit_test(the_decimal_point_is_a_point_in_every_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
