// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/bpf/bpf-prog-type.h"

static struct prog_selection *parsed(const char *list)
{
	struct strbuf why = STRBUF_INIT;
	struct prog_selection *selection;

	assert_int_equal(prog_selection__parse(list, &selection, &why), 0);
	assert_string_equal(why.text, "");
	strbuf__free(&why);
	return selection;
}

static void refused(const char *list, const char *words)
{
	struct strbuf why = STRBUF_INIT;
	struct prog_selection *selection;

	assert_int_equal(prog_selection__parse(list, &selection, &why), -EINVAL);
	assert_null(selection);
	if (!strstr(why.text, words))
		assert_string_equal(why.text, words);
	strbuf__free(&why);
}

static void each_form_has_its_meaning(void **state)
{
	struct prog_selection *s = parsed(
		"42,7:sub,name:xdp_*,tag:a04F5eef06a7f555,pinned:/sys/fs/bpf/x,type:xdp,all");
	static const uint8_t tag[] = { 0xa0, 0x4f, 0x5e, 0xef, 0x06, 0xa7, 0xf5, 0x55 };

	(void)state;
	assert_int_equal(s->nr, 7);
	assert_int_equal(s->selectors[0].by, PROG_SELECT_ID);
	assert_int_equal(s->selectors[0].id, 42);
	assert_null(s->selectors[0].word);
	assert_int_equal(s->selectors[1].by, PROG_SELECT_ID);
	assert_int_equal(s->selectors[1].id, 7);
	assert_string_equal(s->selectors[1].word, "sub");
	assert_int_equal(s->selectors[2].by, PROG_SELECT_NAME);
	assert_string_equal(s->selectors[2].word, "xdp_*");
	assert_int_equal(s->selectors[3].by, PROG_SELECT_TAG);
	assert_memory_equal(s->selectors[3].tag, tag, sizeof(tag));
	assert_int_equal(s->selectors[4].by, PROG_SELECT_PINNED);
	assert_string_equal(s->selectors[4].word, "/sys/fs/bpf/x");
	assert_int_equal(s->selectors[5].by, PROG_SELECT_TYPE);
	assert_int_equal(s->selectors[5].types, 1 << 6);
	assert_int_equal(s->selectors[6].by, PROG_SELECT_ALL);
	prog_selection__free(s);
}

static void selectors_of_several_programs_are_patterns(void **state)
{
	struct prog_selection *s =
		parsed("42,7:sub,pinned:/x,name:a,tag:0123456789abcdef,type:tc,all");

	(void)state;
	for (int i = 0; i < s->nr; i++)
		assert_int_equal(prog_selector__is_pattern(&s->selectors[i]), i > 2);
	prog_selection__free(s);
}

static void a_repeated_word_counts_once(void **state)
{
	struct prog_selection *s = parsed("5,name:a,5,name:a,5:f");

	(void)state;
	assert_int_equal(s->nr, 3);
	prog_selection__free(s);
}

static void a_comma_after_a_backslash_belongs_to_the_word(void **state)
{
	struct prog_selection *s = parsed("pinned:/a\\,b,name:c\\*");

	(void)state;
	assert_int_equal(s->nr, 2);
	assert_string_equal(s->selectors[0].word, "/a,b");
	assert_string_equal(s->selectors[1].word, "c\\*");
	prog_selection__free(s);
}

static void the_largest_id_has_32_bits(void **state)
{
	struct prog_selection *s = parsed("4294967295");

	(void)state;
	assert_int_equal(s->selectors[0].id, UINT32_MAX);
	prog_selection__free(s);
	refused("4294967296", "'4294967296' is not the id");
	refused("0", "'0' is not the id");
	refused("0x10", "'0x10' is not the id");
}

static void a_bad_word_is_reported_with_advice(void **state)
{
	(void)state;
	refused("", "'' is not the id of a BPF program: ids are integers from 1 to 4294967295\nsee "
		    "`pstat progs`");
	refused("5,", "'' is not the id");
	refused("xdp_count", "write name:xdp_count for programs of that name");
	refused("-1", "'-1' is not the id");
	refused("5:", "'5:': the function's name is missing");
	refused(":f", "':f' is not the id");
	refused("name:", "'name:': a pattern of names is missing");
	refused("pinned:", "'pinned:': the path is missing");
	refused("tag:12", "'12' is not the tag of a BPF program: a tag has 16 hexadecimal digits");
	refused("tag:0123456789abcdeg", "is not the tag");
	refused("tag:0123456789abcdef0", "is not the tag");
	refused("type:xpd", "'xpd' is not a type of BPF programs\nthe types are: socket_filter "
			    "kprobe sched_cls");
	refused("type:", "'' is not a type");
	refused("ALL", "'ALL' is not the id");
}

static void types_have_the_names_that_are_parsed(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < 33; type++) {
		struct strbuf name = STRBUF_INIT;

		bpf_prog_type__add_name(type, &name);
		assert_int_equal(bpf_prog_type__parse(name.text), 1ULL << type);
		strbuf__free(&name);
	}
	assert_int_equal(bpf_prog_type__parse("tc"), 1 << 3 | 1 << 4);
	assert_int_equal(bpf_prog_type__parse("unspec"), 0);
	for (size_t nr = 0; bpf_prog_type__known(nr); nr++)
		assert_int_not_equal(bpf_prog_type__parse(bpf_prog_type__known(nr)), 0);
}

static void an_unknown_type_is_shown_as_a_number(void **state)
{
	struct strbuf name = STRBUF_INIT;

	(void)state;
	bpf_prog_type__add_name(99, &name);
	assert_string_equal(name.text, "type 99");
	strbuf__free(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_has_its_meaning),
		cmocka_unit_test(selectors_of_several_programs_are_patterns),
		cmocka_unit_test(a_repeated_word_counts_once),
		cmocka_unit_test(a_comma_after_a_backslash_belongs_to_the_word),
		cmocka_unit_test(the_largest_id_has_32_bits),
		cmocka_unit_test(a_bad_word_is_reported_with_advice),
		cmocka_unit_test(types_have_the_names_that_are_parsed),
		cmocka_unit_test(an_unknown_type_is_shown_as_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
