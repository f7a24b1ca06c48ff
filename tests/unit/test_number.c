// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "util/base/number.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define UNTOUCHED 0x1234567890abcdefULL

static void whole_texts_are_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "42", 42 },
		{ "0x10", 16 },
		{ "0XfF", 255 },
		{ "010", 8 },
		{ "00", 0 },
		{ "18446744073709551615", UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX },
		{ "01777777777777777777777", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		uint64_t value = UNTOUCHED;

		assert_int_equal(number__parse_u64(good[i].text, &value), 0);
		assert_true(value == good[i].value);
	}
}

static void other_texts_are_refused(void **state)
{
	static const char *const bad[] = { "",	  " ",	" 1",  "1 ",   "1\n", "-1", "+1",
					   "-0",  "x",	"0x",  "0xg",  "1x",  "08", "1.0",
					   "1e3", "1,", "--1", "0x-1", "\t1", "inf" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint64_t value = UNTOUCHED;

		assert_int_equal(number__parse_u64(bad[i], &value), -EINVAL);
		assert_true(value == UNTOUCHED);
	}
}

static void a_number_of_more_than_64_bits_is_out_of_range(void **state)
{
	static const char *const large[] = { "18446744073709551616", "99999999999999999999999999" };
	uint64_t value = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		assert_int_equal(number__parse_u64(large[i], &value), -ERANGE);
		assert_int_equal(number__parse_uint(large[i], 0, UINT64_MAX, &value), -ERANGE);
	}
	assert_int_equal(number__parse_u64("0x10000000000000000", &value), -ERANGE);
	assert_true(value == UNTOUCHED);
}

/* If the text is not a number, this is reported rather than the range. */
static void a_long_number_followed_by_other_text_is_not_a_number(void **state)
{
	uint64_t value = UNTOUCHED;

	(void)state;
	assert_int_equal(number__parse_u64("18446744073709551616x", &value), -EINVAL);
	assert_true(value == UNTOUCHED);
}

static void leading_zeros_do_not_make_a_number_octal(void **state)
{
	static const char *const bad[] = { "", " 8", "8 ", "-8", "+8", "0x8", "8x", "x" };
	uint64_t value = UNTOUCHED;

	(void)state;
	assert_int_equal(number__parse_uint("0010", 0, 100, &value), 0);
	assert_int_equal(value, 10);
	assert_int_equal(number__parse_uint("08", 0, 100, &value), 0);
	assert_int_equal(value, 8);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(number__parse_uint(bad[i], 0, 100, &value), -EINVAL);
	assert_int_equal(value, 8);
}

static void the_ends_of_a_range_are_in_the_range(void **state)
{
	uint64_t value = UNTOUCHED;

	(void)state;
	assert_int_equal(number__parse_uint("0", 1, 10, &value), -ERANGE);
	assert_int_equal(number__parse_uint("11", 1, 10, &value), -ERANGE);
	assert_true(value == UNTOUCHED);
	assert_int_equal(number__parse_uint("1", 1, 10, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(number__parse_uint("10", 1, 10, &value), 0);
	assert_int_equal(value, 10);
	assert_int_equal(number__parse_uint("18446744073709551615", 0, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
}

static void a_count_is_scaled_up_to_the_largest_number(void **state)
{
	static const struct {
		uint64_t value, by, of, scaled;
	} rows[] = {
		{ 10, 700, 300, 23 },
		{ 10, 300, 700, 4 },
		{ 0, UINT64_MAX, 1, 0 },
		{ 5, 0, 7, 0 },
		{ 1ULL << 63, 2, 1, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX, 1, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_true(number__scale(rows[i].value, rows[i].by, rows[i].of) == rows[i].scaled);
	assert_true(number__to_count(18446744073709549568.0) == 18446744073709549568ULL);
	assert_true(number__to_count(18446744073709551616.0) == UINT64_MAX);
	assert_true(number__to_count(1e300) == UINT64_MAX);
	assert_true(number__to_count(0.99) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_texts_are_numbers),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(a_number_of_more_than_64_bits_is_out_of_range),
		cmocka_unit_test(a_long_number_followed_by_other_text_is_not_a_number),
		cmocka_unit_test(leading_zeros_do_not_make_a_number_octal),
		cmocka_unit_test(the_ends_of_a_range_are_in_the_range),
		cmocka_unit_test(a_count_is_scaled_up_to_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
