// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/event/lexer.h"

static void expect(struct lexer *lexer, enum lex_mode mode, enum token_kind kind, const char *text,
		   size_t column)
{
	struct token ahead = lexer__peek(lexer, mode), token = lexer__next(lexer, mode);

	assert_int_equal(ahead.kind, token.kind);
	assert_int_equal(token.kind, kind);
	assert_int_equal(token.span.column, column);
	assert_true(span__is(&token.span, text));
}

static void test_words_and_marks_have_their_columns(void **state)
{
	struct lexer lexer = LEXER_INIT(" cpu-cycles:u, {a.b_*?[1]!}=/");

	(void)state;
	expect(&lexer, LEX_EVENT, TOK_WORD, "cpu-cycles", 1);
	expect(&lexer, LEX_EVENT, TOK_COLON, ":", 11);
	expect(&lexer, LEX_EVENT, TOK_WORD, "u", 12);
	expect(&lexer, LEX_EVENT, TOK_COMMA, ",", 13);
	expect(&lexer, LEX_EVENT, TOK_OPEN, "{", 15);
	expect(&lexer, LEX_EVENT, TOK_WORD, "a.b_*?[1]!", 16);
	expect(&lexer, LEX_EVENT, TOK_CLOSE, "}", 26);
	expect(&lexer, LEX_EVENT, TOK_EQUALS, "=", 27);
	expect(&lexer, LEX_EVENT, TOK_SLASH, "/", 28);
	expect(&lexer, LEX_EVENT, TOK_END, "", 29);
	expect(&lexer, LEX_EVENT, TOK_END, "", 29);
}

static void test_the_mode_determines_what_a_word_contains(void **state)
{
	struct lexer event = LEXER_INIT("a:b+c"), term = LEXER_INIT("a:b+c@d=1"),
		     address = LEXER_INIT("main+4:r");

	(void)state;
	expect(&event, LEX_EVENT, TOK_WORD, "a", 0);
	expect(&event, LEX_EVENT, TOK_COLON, ":", 1);
	expect(&event, LEX_EVENT, TOK_WORD, "b", 2);
	expect(&event, LEX_EVENT, TOK_BAD, "+", 3);
	expect(&term, LEX_TERM, TOK_WORD, "a:b+c@d", 0);
	expect(&term, LEX_TERM, TOK_EQUALS, "=", 7);
	expect(&address, LEX_ADDRESS, TOK_WORD, "main+4", 0);
	expect(&address, LEX_EVENT, TOK_COLON, ":", 6);
}

static void test_quotes_contain_anything_except_quotes(void **state)
{
	struct lexer lexer = LEXER_INIT("'a,b/{' 'open");

	(void)state;
	expect(&lexer, LEX_TERM, TOK_QUOTED, "a,b/{", 1);
	expect(&lexer, LEX_TERM, TOK_UNTERMINATED, "open", 9);
	expect(&lexer, LEX_TERM, TOK_END, "", 13);
}

static void test_bytes_over_127_and_controls_are_bad_outside_quotes(void **state)
{
	struct lexer lexer = LEXER_INIT("\xc3\x01");

	(void)state;
	expect(&lexer, LEX_TERM, TOK_BAD, "\xc3", 0);
	expect(&lexer, LEX_EVENT, TOK_BAD, "\x01", 1);
	expect(&lexer, LEX_EVENT, TOK_END, "", 2);
}

static void test_a_span_is_copied_only_if_it_fits(void **state)
{
	struct span span = { .s = "abcd", .len = 3 };
	char buf[4];

	(void)state;
	assert_true(span__copy(&span, buf, 4));
	assert_string_equal(buf, "abc");
	assert_false(span__copy(&span, buf, 3));
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_and_marks_have_their_columns),
		cmocka_unit_test(test_the_mode_determines_what_a_word_contains),
		cmocka_unit_test(test_quotes_contain_anything_except_quotes),
		cmocka_unit_test(test_bytes_over_127_and_controls_are_bad_outside_quotes),
		cmocka_unit_test(test_a_span_is_copied_only_if_it_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
