// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-spec.h"

static void add_word(struct strbuf *sb, const char *name, const struct scope_word *word)
{
	if (word->pattern)
		strbuf__addf(sb, " %s=%s", name, word->text);
}

/* Shows everything that was parsed: "uprobe file=./a name=f +16 | ..." */
static void show_point(struct strbuf *sb, const struct point_spec *point)
{
	strbuf__adds(sb, point_kind__name(point->kind));
	add_word(sb, "file", &point->file);
	add_word(sb, "group", &point->group);
	add_word(sb, "name", &point->name);
	if (point->has_address)
		strbuf__addf(sb, " @%#lx", (unsigned long)point->address);
	if (point->has_offset)
		strbuf__addf(sb, " +%lu", (unsigned long)point->offset);
	if (point->place == PLACE_RETURN)
		strbuf__adds(sb, " return");
	if (point->place == PLACE_RETURNS)
		strbuf__adds(sb, " returns");
}

static void expect(const char *text, const char *expected)
{
	struct strbuf shown = STRBUF_INIT, why = STRBUF_INIT;
	struct scope_spec spec;

	assert_int_equal(scope_spec__parse(&spec, text, &why), 0);
	assert_int_equal(why.len, 0);
	for (int i = 0; i < spec.nr; i++) {
		strbuf__adds(&shown, i ? " | " : "");
		show_point(&shown, &spec.point[i]);
	}
	assert_string_equal(shown.text, expected);
	scope_spec__free(&spec);
	strbuf__free(&shown);
	strbuf__free(&why);
}

/* The reason must begin with the specification and @column, and contain @part. */
static void expect_refused(const char *text, int column, const char *part)
{
	struct strbuf why = STRBUF_INIT, start = STRBUF_INIT;
	struct scope_spec spec;

	assert_int_equal(scope_spec__parse(&spec, text, &why), -EINVAL);
	strbuf__addf(&start, "'%s', character %d: ", text, column);
	if (strncmp(why.text, start.text, start.len) || !strstr(why.text, part))
		fail_msg("'%s' should begin with \"%s\" and contain \"%s\"", why.text, start.text,
			 part);
	scope_spec__free(&spec);
	strbuf__free(&start);
	strbuf__free(&why);
}

static void a_function_of_a_file(void **state)
{
	(void)state;
	expect("uprobe:./server:handle_request", "uprobe file=./server name=handle_request");
	expect("uprobe:libz:deflate*", "uprobe file=libz name=deflate*");
	expect("uprobe:/a:0x4f0", "uprobe file=/a name=0x4f0 @0x4f0");
	expect("func:vfs_read", "func name=vfs_read");
	expect("func:kvm:vcpu_load", "func group=kvm name=vcpu_load");
	expect("syscall:read,write", "syscall name=read,write");
	expect("syscall", "syscall");
	expect("syscall:", "syscall");
}

static void names_of_cplusplus_contain_colons_and_operators(void **state)
{
	(void)state;
	expect("uprobe:./a:ns::Class::f", "uprobe file=./a name=ns::Class::f");
	expect("uprobe:./a:f(char*, ...)", "uprobe file=./a name=f(char*, ...)");
	expect("uprobe:./a:operator+", "uprobe file=./a name=operator+");
	expect("uprobe:./a:operator%", "uprobe file=./a name=operator%");
	expect("uprobe:./a:operator%(A)", "uprobe file=./a name=operator%(A)");
	expect("uprobe:./a:X::f..X::g", "uprobe file=./a name=X::f | uprobe file=./a name=X::g");
}

static void two_points(void **state)
{
	(void)state;
	expect("uprobe:./srv:begin..uprobe:./srv:end",
	       "uprobe file=./srv name=begin | uprobe file=./srv name=end");
	expect("tp:block:block_rq_issue..tp:block:block_rq_complete",
	       "tp group=block name=block_rq_issue | tp group=block name=block_rq_complete");
	expect("usdt:./a:x..func:y", "usdt file=./a name=x | func name=y");
	expect("uprobe:./a:f+0x10..f%return",
	       "uprobe file=./a name=f +16 | uprobe file=./a name=f return");
	expect("uprobe:./a:f..f%returns",
	       "uprobe file=./a name=f | uprobe file=./a name=f returns");
	expect("syscall:read%return..syscall:write",
	       "syscall name=read return | syscall name=write");
}

static void the_second_point_inherits_the_words_that_it_omits(void **state)
{
	(void)state;
	expect("usdt:/m:query__start..query__done",
	       "usdt file=/m name=query__start | usdt file=/m name=query__done");
	expect("usdt:/m:p:a..b", "usdt file=/m group=p name=a | usdt file=/m group=p name=b");
	expect("usdt:/m:p:a..q:b", "usdt file=/m group=p name=a | usdt file=/m group=q name=b");
	expect("uprobe:/m:a../n:b", "uprobe file=/m name=a../n:b");
	expect("usdt:/m:a..usdt:/n:b", "usdt file=/m name=a | usdt file=/n name=b");
	expect("tp:sched:a..b", "tp group=sched name=a | tp group=sched name=b");
	expect("tp:sched:a..irq:b", "tp group=sched name=a | tp group=irq name=b");
	expect("func:a..b", "func name=a | func name=b");
	expect("syscall:read..write", "syscall name=read | syscall name=write");
}

static void dots_in_paths_do_not_separate_points(void **state)
{
	(void)state;
	expect("uprobe:../a/../b:f", "uprobe file=../a/../b name=f");
	expect("uprobe:../a:f..uprobe:../b:g", "uprobe file=../a name=f | uprobe file=../b name=g");
	expect("uprobe:./a\\.\\.b:f", "uprobe file=./a..b name=f");
}

static void a_backslash_removes_the_special_meaning(void **state)
{
	struct strbuf why = STRBUF_INIT;
	struct scope_spec spec;

	(void)state;
	expect("uprobe:/a\\:b:f", "uprobe file=/a:b name=f");
	expect("uprobe:/a:f\\+1", "uprobe file=/a name=f+1");
	expect("uprobe:/a:f\\%return", "uprobe file=/a name=f%return");
	expect("uprobe:/a\\\\b:f", "uprobe file=/a\\b name=f");
	assert_int_equal(scope_spec__parse(&spec, "uprobe:/a:f\\*", &why), 0);
	assert_false(scope_word__is_glob(&spec.point[0].name));
	assert_true(scope_word__matches(&spec.point[0].name, "f*"));
	assert_false(scope_word__matches(&spec.point[0].name, "fx"));
	scope_spec__free(&spec);
	assert_int_equal(scope_spec__parse(&spec, "uprobe:/a:f*", &why), 0);
	assert_true(scope_word__matches(&spec.point[0].name, "fx"));
	assert_true(scope_word__matches(&spec.point[0].name, "f*"));
	assert_false(scope_word__matches(&spec.point[0].name, "gx"));
	scope_spec__free(&spec);
	strbuf__free(&why);
}

static void a_malformed_argument_is_refused_with_its_position_and_advice(void **state)
{
	(void)state;
	expect_refused("", 1, "point is missing");
	expect_refused("vfs_read", 1, "begins with its kind");
	expect_refused("uprob:./a:f", 1, "did you mean 'uprobe'?");
	expect_refused("uprobe", 1, "a colon and a place are missing: write uprobe:FILE:");
	expect_refused("uprobe:", 8, "the file is missing: write uprobe:FILE:");
	expect_refused("uprobe:./a", 8, "either the file or the name in it is missing: write");
	expect_refused("uprobe:./a..b/c:f", 8, "if the two dots after it belong to the path");
	expect_refused("uprobe:./a:f+4..f+8%return", 18, "a return belongs to a function");
	expect_refused("uprobe::f", 8, "missing before the colon");
	expect_refused("uprobe:./a:", 12, "function is missing");
	expect_refused("uprobe:./a:+4", 12, "function is missing");
	expect_refused("uprobe:./a:0xzz", 12, "not a number");
	expect_refused("uprobe:./a:f+99999999999999999999", 14, "too large");
	expect_refused("uprobe:./a:f%retrun", 13, "unknown suffix");
	expect_refused("usdt:./a:x%return..y", 11, "remove the suffix");
	expect_refused("func:f%returns..g", 7, "write %return");
	expect_refused("tp:sched_switch..x", 4, "category is missing");
	expect_refused("syscall:read,,write", 14, "system call is missing");
	expect_refused("syscall:read,", 14, "system call is missing");
	expect_refused("func:a..", 9, "second point is missing");
	expect_refused("func:a..b..c", 10, "not three");
}

static void a_scope_of_one_point_must_be_a_function(void **state)
{
	(void)state;
	expect_refused("usdt:./a:x", 1, "no end: write two points");
	expect_refused("tp:sched:sched_switch", 1, "no end: write two points");
	expect_refused("uprobe:./a:f+4", 1, "place within a function");
	expect_refused("uprobe:./a:f%return", 1, "return of a function has no end");
	expect("uprobe:./a:f+0", "uprobe file=./a name=f +0");
}

static void a_single_point_is_valid(void **state)
{
	struct strbuf why = STRBUF_INIT;
	struct scope_spec spec;

	(void)state;
	assert_int_equal(scope_spec__parse_point(&spec, "usdt:./app:warm", &why), 0);
	assert_string_equal(spec.point[0].name.text, "warm");
	scope_spec__free(&spec);
	assert_int_equal(scope_spec__parse_point(&spec, "usdt:./app:a..b", &why), -EINVAL);
	assert_non_null(strstr(why.text, "one point is needed"));
	scope_spec__free(&spec);
	strbuf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_of_a_file),
		cmocka_unit_test(names_of_cplusplus_contain_colons_and_operators),
		cmocka_unit_test(two_points),
		cmocka_unit_test(the_second_point_inherits_the_words_that_it_omits),
		cmocka_unit_test(dots_in_paths_do_not_separate_points),
		cmocka_unit_test(a_backslash_removes_the_special_meaning),
		cmocka_unit_test(a_malformed_argument_is_refused_with_its_position_and_advice),
		cmocka_unit_test(a_scope_of_one_point_must_be_a_function),
		cmocka_unit_test(a_single_point_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
