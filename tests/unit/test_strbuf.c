// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"

/* An allocation that is too large returns NULL, even under the address sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void an_empty_buffer_is_a_string(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.text, "");
	assert_int_equal(sb.len, 0);
	assert_false(strbuf__failed(&sb));
	strbuf__reset(&sb);
	assert_string_equal(sb.text, "");
	strbuf__free(&sb);
	assert_string_equal(sb.text, "");
}

static void each_function_that_adds_text_adds_it(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__adds(&sb, "ab");
	strbuf__addc(&sb, 'c');
	strbuf__add(&sb, "defgh", 3);
	strbuf__addf(&sb, "-%d-%s", 42, "x");
	strbuf__adds(&sb, "");
	strbuf__addf(&sb, "%s", "");
	assert_string_equal(sb.text, "abcdef-42-x");
	assert_int_equal(sb.len, 11);
	strbuf__free(&sb);
}

static void a_nul_byte_is_kept(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add(&sb, "a\0b", 3);
	strbuf__addc(&sb, '\0');
	assert_int_equal(sb.len, 4);
	assert_memory_equal(sb.text, "a\0b\0\0", 5);
	strbuf__free(&sb);
}

static void text_that_is_added_clean_does_not_move_the_cursor(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add_clean(&sb, "a\033[2J\tb\177 \302\233c \302\241\303\251 \302");
	assert_string_equal(sb.text, "a?[2J?b? ?c \302\241\303\251 \302");
	strbuf__reset(&sb);
	/*
	 * C1 characters as single bytes, inside valid characters, and where a character is
	 * truncated. 0xa0 and above are not control characters.
	 */
	strbuf__add_clean(
		&sb,
		"\200\233\237\240 \303\233 \342\202\254 \342\202. \360\237\230\200 \355\240\200");
	assert_string_equal(sb.text,
			    "???\240 \303\233 \342\202\254 \342?. \360\237\230\200 \355\240?");
	strbuf__free(&sb);
}

static void newlines_and_tabs_of_a_text_may_be_kept(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add_clean_lines(&sb, "a\n\tb\r\033\233\303\251\n");
	assert_string_equal(sb.text, "a\n\tb???\303\251\n");
	strbuf__free(&sb);
}

static void a_part_of_a_text_is_cleaned_like_the_whole_text(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add_clean_part(&sb, "a\0b\033c", 4);
	assert_string_equal(sb.text, "a?b?");
	strbuf__reset(&sb);
	strbuf__add_clean_part(&sb, "\302\233\302\233", 3);
	assert_string_equal(sb.text, "?\302");
	strbuf__free(&sb);
}

/*
 * For each length, including those near the sizes of allocations, a NUL follows the text and
 * nothing is lost.
 */
static void text_of_any_length_is_complete(void **state)
{
	struct strbuf by_char = STRBUF_INIT, by_format = STRBUF_INIT;

	(void)state;
	for (size_t len = 1; len <= 1000; len++) {
		strbuf__addc(&by_char, (char)('a' + len % 26));
		assert_int_equal(by_char.len, len);
		assert_int_equal(strlen(by_char.text), len);
		strbuf__reset(&by_format);
		strbuf__addf(&by_format, "%s", by_char.text);
		assert_string_equal(by_format.text, by_char.text);
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(by_char.text[i], 'a' + (i + 1) % 26);
	strbuf__free(&by_char);
	strbuf__free(&by_format);
}

static void a_buffer_that_was_reset_is_empty(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__adds(&sb, "first, and longer");
	strbuf__reset(&sb);
	assert_string_equal(sb.text, "");
	strbuf__adds(&sb, "second");
	assert_string_equal(sb.text, "second");
	strbuf__free(&sb);
}

static void a_detached_text_belongs_to_the_caller(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *text, *empty;

	(void)state;
	strbuf__adds(&sb, "text");
	text = strbuf__detach(&sb);
	assert_string_equal(text, "text");
	assert_string_equal(sb.text, "");
	assert_int_equal(sb.len, 0);

	strbuf__adds(&sb, "other");
	assert_string_equal(text, "text");
	strbuf__free(&sb);
	free(text);

	empty = strbuf__detach(&sb);
	assert_non_null(empty);
	assert_string_equal(empty, "");
	free(empty);
}

static void a_failed_allocation_is_remembered_and_the_rest_is_dropped(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__adds(&sb, "kept");
	strbuf__add(&sb, "", SIZE_MAX / 4);
	assert_true(strbuf__failed(&sb));
	strbuf__adds(&sb, "dropped");
	strbuf__addf(&sb, "%d", 1);
	strbuf__addc(&sb, 'x');
	assert_string_equal(sb.text, "kept");
	assert_true(strbuf__failed(&sb));
	assert_null(strbuf__detach(&sb));
	assert_false(strbuf__failed(&sb));
	assert_string_equal(sb.text, "");
}

static void a_reset_forgets_that_an_allocation_failed(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf__add(&sb, "", SIZE_MAX / 4);
	assert_true(strbuf__failed(&sb));
	strbuf__reset(&sb);
	strbuf__adds(&sb, "again");
	assert_false(strbuf__failed(&sb));
	assert_string_equal(sb.text, "again");
	strbuf__free(&sb);
}

/* An overflow must not be mistaken for a small length, and the size must not be doubled forever. */
static void an_impossible_length_also_fails(void **state)
{
	static const size_t lengths[] = { SIZE_MAX / 2, SIZE_MAX / 2 + 2, SIZE_MAX - 64,
					  SIZE_MAX - 1, SIZE_MAX };

	(void)state;
	alarm(10);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf__adds(&sb, "kept");
		strbuf__add(&sb, "", lengths[i]);
		assert_true(strbuf__failed(&sb));
		assert_string_equal(sb.text, "kept");
		strbuf__free(&sb);
	}
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_is_a_string),
		cmocka_unit_test(each_function_that_adds_text_adds_it),
		cmocka_unit_test(a_nul_byte_is_kept),
		cmocka_unit_test(text_that_is_added_clean_does_not_move_the_cursor),
		cmocka_unit_test(newlines_and_tabs_of_a_text_may_be_kept),
		cmocka_unit_test(a_part_of_a_text_is_cleaned_like_the_whole_text),
		cmocka_unit_test(text_of_any_length_is_complete),
		cmocka_unit_test(a_buffer_that_was_reset_is_empty),
		cmocka_unit_test(a_detached_text_belongs_to_the_caller),
		cmocka_unit_test(a_failed_allocation_is_remembered_and_the_rest_is_dropped),
		cmocka_unit_test(a_reset_forgets_that_an_allocation_failed),
		cmocka_unit_test(an_impossible_length_also_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
