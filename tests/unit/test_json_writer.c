// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/stat-fixture.h"

#include <math.h>

#include "util/base/json-writer.h"
#include "util/base/strbuf.h"

static void writes_as(const char *value, const char *json)
{
	struct strbuf sb = STRBUF_INIT, wanted = STRBUF_INIT;
	struct json_writer w;

	json__begin(&w, &sb);
	json__string(&w, "k", value);
	json__end(&w);
	strbuf__addf(&wanted, "{\"k\" : %s}", json);
	assert_string_equal(sb.text, wanted.text);
	strbuf__free(&sb);
	strbuf__free(&wanted);
}

static void keys_are_separated_by_commas(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json__begin(&w, &sb);
	json__time(&w, "interval", 12, 5);
	json__uint(&w, "n", UINT64_MAX);
	json__fixed(&w, "f", 99.999, 2);
	json__fixed_string(&w, "s", 0.5, 6);
	json__end(&w);
	assert_string_equal(
		sb.text,
		"{\"interval\" : 12.000000005, \"n\" : 18446744073709551615, \"f\" : 100.00, "
		"\"s\" : \"0.500000\"}");
	strbuf__free(&sb);
}

static void an_object_may_be_empty(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json__begin(&w, &sb);
	json__end(&w);
	assert_string_equal(sb.text, "{}");
	strbuf__free(&sb);
}

static void quotes_and_control_characters_are_escaped(void **state)
{
	(void)state;
	writes_as("", "\"\"");
	writes_as("a\"b\\c/", "\"a\\\"b\\\\c/\"");
	writes_as("\302\200\302\237\302\240", "\"\\u0080\\u009f\302\240\"");
	writes_as("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
}

static void utf8_stays_as_it_is(void **state)
{
	(void)state;
	writes_as("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"");
}

static void bytes_that_are_not_utf8_become_the_replacement_character(void **state)
{
	(void)state;
	writes_as("a\xff", "\"a\\ufffd\"");
	writes_as("\x80z", "\"\\ufffdz\"");
	writes_as("\xc3", "\"\\ufffd\""); /* cut off */
	writes_as("\xe2\x82", "\"\\ufffd\\ufffd\"");
	writes_as("\xc0\xaf", "\"\\ufffd\\ufffd\"");			   /* overlong */
	writes_as("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");		   /* a surrogate */
	writes_as("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* above U+10FFFF */
	writes_as("\xe2\"", "\"\\ufffd\\\"\"");
}

static void no_number_is_nan_or_inf(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json_writer w;

	(void)state;
	json__begin(&w, &sb);
	json__fixed(&w, "a", (double)NAN, 2);
	json__fixed(&w, "b", (double)INFINITY, 2);
	json__fixed_string(&w, "c", (double)-INFINITY, 1);
	json__end(&w);
	assert_string_equal(sb.text, "{\"a\" : 0.00, \"b\" : 0.00, \"c\" : \"0.0\"}");
	strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_separated_by_commas),
		cmocka_unit_test(an_object_may_be_empty),
		cmocka_unit_test(quotes_and_control_characters_are_escaped),
		cmocka_unit_test(utf8_stays_as_it_is),
		cmocka_unit_test(bytes_that_are_not_utf8_become_the_replacement_character),
		cmocka_unit_test(no_number_is_nan_or_inf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
