// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "util/base/reason.h"
#include "util/base/strbuf.h"

static void the_first_reason_stays(void **state)
{
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_int_equal(reason__set(&why, -EBUSY, "%s: busy", "cycles"), -EBUSY);
	assert_int_equal(reason__set(&why, -EINVAL, "cannot open the events"), -EINVAL);
	assert_string_equal(reason__text(&why, -EINVAL), "cycles: busy");
	strbuf__free(&why);
}

static void success_has_no_reason(void **state)
{
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_int_equal(reason__set(&why, 0, "cannot happen"), 0);
	assert_int_equal(why.len, 0);
}

static void an_errno_without_a_reason_becomes_a_text(void **state)
{
	struct strbuf why = STRBUF_INIT;

	(void)state;
	assert_string_equal(reason__text(&why, -ENOMEM), "out of memory");
	assert_string_equal(reason__text(&why, -ENOENT), "No such file or directory");
}

static void a_caller_need_not_ask_for_a_reason(void **state)
{
	(void)state;
	assert_int_equal(reason__set(NULL, -ENOENT, "nobody reads this"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_reason_stays),
		cmocka_unit_test(success_has_no_reason),
		cmocka_unit_test(an_errno_without_a_reason_becomes_a_text),
		cmocka_unit_test(a_caller_need_not_ask_for_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
