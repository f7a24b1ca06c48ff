// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "util/event/ast.h"
#include "util/event/parse-error.h"
#include "util/event/parser.h"

static void test_groups_events_and_terms_are_flat_lists(void **state)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct ast ast = { 0 };
	const struct ast_event *cpu;

	(void)state;
	assert_int_equal(
		parser__parse_list("{cs,cpu/event=0x3c,name=x,any/u}:D, tsc ", &ast, &error), 0);
	assert_int_equal(ast.nr_groups, 2);
	assert_true(ast.groups[0].braces);
	assert_int_equal(ast.groups[0].nr_events, 2);
	assert_int_equal(ast.groups[0].mod.bits, MOD_PINNED);
	assert_false(ast.groups[1].braces);
	assert_int_equal(ast.groups[1].first_event, 2);
	cpu = &ast.events[1];
	assert_int_equal(cpu->kind, AST_PMU);
	assert_true(span__is(&cpu->text, "cpu/event=0x3c,name=x,any/u"));
	assert_int_equal(cpu->text.column, 4);
	assert_int_equal(cpu->nr_terms, 3);
	assert_int_equal(ast.terms[0].kind, TERM_NUMBER);
	assert_int_equal(ast.terms[0].number, 0x3c);
	assert_int_equal(ast.terms[1].kind, TERM_TEXT);
	assert_true(span__is(&ast.terms[1].value, "x"));
	assert_int_equal(ast.terms[1].value.column, 24);
	assert_int_equal(ast.terms[2].kind, TERM_PLAIN);
	assert_int_equal(cpu->mod.bits, MOD_USER);
	assert_true(span__is(&ast.events[2].text, " tsc "));
	ast__free(&ast);
	parse_error__free(&error);
}

static void kind_is(const char *text, enum ast_kind kind)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct ast ast = { 0 };

	assert_int_equal(parser__parse_list(text, &ast, &error), 0);
	assert_int_equal(ast.nr_events, 1);
	assert_int_equal(ast.events[0].kind, kind);
	ast__free(&ast);
	parse_error__free(&error);
}

static void test_kinds_are_distinguished_without_a_machine(void **state)
{
	(void)state;
	kind_is("cs", AST_NAME);
	kind_is("cs:u", AST_NAME);
	kind_is("cs/name=x/", AST_NAME);
	kind_is("LLC-loads/name=x/", AST_NAME);
	kind_is("tsc:u", AST_NAME);
	kind_is("tsc//", AST_PMU);
	kind_is("a:b", AST_NAME);
	kind_is("a:b2", AST_TRACEPOINT);
	kind_is("a*:b*:u", AST_TRACEPOINT);
	kind_is("a:b2/name=x/u", AST_TRACEPOINT);
	kind_is("1:2", AST_NUMERIC);
	kind_is("r12", AST_NUMERIC);
	kind_is("mem:1", AST_BREAKPOINT);
	kind_is("mem:main:w", AST_BREAKPOINT);
	kind_is("mem", AST_NAME);
}

static void test_terms_of_sysfs_are_complete(void **state)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct ast ast = { 0 };

	(void)state;
	assert_int_equal(parser__parse_terms("event=0xc0,umask=?,any", &ast, &error), 0);
	assert_int_equal(ast.nr_terms, 3);
	assert_true(span__is(&ast.terms[1].value, "?"));
	assert_int_equal(parser__parse_terms("", &ast, &error), 0);
	assert_int_equal(ast.nr_terms, 3);
	assert_int_equal(parser__parse_terms("a/b", &ast, &error), -EINVAL);
	assert_int_equal(error.column, 1);
	ast__free(&ast);
	parse_error__free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups_events_and_terms_are_flat_lists),
		cmocka_unit_test(test_kinds_are_distinguished_without_a_machine),
		cmocka_unit_test(test_terms_of_sysfs_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
