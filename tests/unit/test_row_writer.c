// SPDX-License-Identifier: GPL-2.0-only
/* Columns turn any struct into a row of a table, CSV, JSON or folded lines. */
#include "tests/unit/json-lines.h"
#include "tests/unit/use-locale.h"

#include "util/output/row-writer.h"
#include "util/report/column.h"

struct thing {
	const char *name;
	char tag[8];
	uint64_t large;
	uint32_t small;
	double share;
	bool is_good;
	uint64_t time_ns;
	uint32_t ids[3]; /* The array ends with a 0. */
};

static bool has_large(const void *row)
{
	return ((const struct thing *)row)->large;
}

static void add_double_name(const void *row, struct strbuf *sb)
{
	const char *name = ((const struct thing *)row)->name ?: "";

	strbuf__addf(sb, "%s-%s", name, name);
}

static const void *nth_id(const void *row, int nr)
{
	const uint32_t *id = &((const struct thing *)row)->ids[nr];

	return nr < 3 && *id ? id : NULL;
}

static const struct column bare_columns[] = {
	{ .kind = COLUMN_COUNT, .in = IN_DATA, .size = sizeof(uint32_t) }, { 0 }
};
static const struct column pair_columns[] = {
	{ .name = "id", .kind = COLUMN_COUNT, .in = IN_JSON, .size = sizeof(uint32_t) },
	{ 0 },
};

static const struct column columns[] = {
	COLUMN_BY(IN_DATA, "kind", COLUMN_WORD, .word = "thing"),
	COLUMN_REMARK_OF(struct thing, small, "small ones"),
	COLUMN_BY(IN_FOLDED, NULL, COLUMN_MADE, .add = add_double_name),
	COLUMN(IN_DATA | IN_FOLDED | IN_TABLE, "large", struct thing, large, .width = 6,
	       .has = has_large),
	COLUMN(IN_DATA | IN_TABLE, "share", struct thing, share, .width = 7),
	COLUMN(IN_DATA | IN_TABLE, "name", struct thing, name),
	COLUMN(IN_TABLE, "runs", struct thing, large, .right = true, .has = has_large),
	COLUMN_BY(IN_DATA, "tag", COLUMN_CHARS, COLUMN_AT(struct thing, tag)),
	COLUMN(IN_DATA, "small", struct thing, small),
	COLUMN(IN_JSON, "good", struct thing, is_good),
	COLUMN_BY(IN_DATA, "time", COLUMN_SECONDS, COLUMN_AT(struct thing, time_ns)),
	COLUMN_BY(IN_DATA, "half", COLUMN_DECIMAL, COLUMN_AT(struct thing, share), .decimals = 1),
	COLUMN_BY(IN_DATA, "ids", COLUMN_LIST, .item = nth_id, .items = bare_columns),
	COLUMN_BY(IN_JSON, "pairs", COLUMN_LIST, .item = nth_id, .items = pair_columns),
	COLUMN_BY(IN_DATA | IN_TABLE, "twice", COLUMN_MADE, .add = add_double_name),
	{ 0 },
};

static const struct thing things[] = {
	{ "a", "t", 1000, 0, 12.345, true, 1500000000, { 7, 8, 0 } },
	{ "b,\"\n", "1234567", 0, 3, 100, false, 1, { 0 } },
	{ NULL, "", 5, 0, 0, false, 0, { 9, 9, 9 } },
};

static void expect(const struct row_format *format, bool is_array, bool is_interval,
		   const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	struct row_writer w = {
		.format = format,
		.text = &sb,
		.separator = ",",
		.is_array = is_array,
		.is_interval = is_interval,
		.time_ns = 2000000003,
		.lines = STRBUF_INIT,
	};

	row_writer__begin(&w, columns);
	for (size_t i = 0; i < 2; i++)
		row_writer__row(&w, columns, &things[i]);
	row_writer__end(&w);
	assert_false(strbuf__failed(&sb));
	assert_string_equal(sb.text, text);
	strbuf__free(&sb);
}

static void a_table_has_a_heading_and_columns_that_are_aligned(void **state)
{
	(void)state;
	expect(&row_table, false, false,
	       " large    share  name  runs  twice\n"
	       "  1000   12.35%  a     1000  a-a\n"
	       "# 3 small ones\n"
	       "        100.00%  b,\"?     -  b,\"?-b,\"?\n");
}

#define FIRST "thing,1000,12.35,a,t,0,1.500000000,12.3,7,8,a-a\n"
#define SECOND "thing,100.00,\"b,\"\"\n\",1234567,3,0.000000001,100.0,\"b,\"\"\n-b,\"\"\n\"\n"

static void expect_csv(void)
{
	expect(&row_csv, false, false, FIRST SECOND);
	expect(&row_csv, false, true, "2.000000003," FIRST "2.000000003," SECOND);
}

static void csv_has_a_line_per_row_and_quotes_fields_if_necessary(void **state)
{
	(void)state;
	expect_csv();
}

static void csv_has_a_decimal_point_in_every_locale(void **state)
{
	(void)state;
	in_german(expect_csv);
}

#define FIRST_OBJECT                                                                           \
	"\"kind\" : \"thing\", \"large\" : 1000, \"share\" : 12.35, \"name\" : \"a\", "        \
	"\"tag\" : \"t\", \"small\" : 0, \"good\" : true, \"time\" : 1.500000000, \"half\" : " \
	"12.3, "                                                                               \
	"\"ids\" : [7, 8], \"pairs\" : [{\"id\" : 7}, {\"id\" : 8}], \"twice\" : \"a-a\"}"
#define SECOND_OBJECT                                                                      \
	"\"kind\" : \"thing\", \"share\" : 100.00, \"name\" : \"b,\\\"\\n\", "             \
	"\"tag\" : \"1234567\", \"small\" : 3, \"good\" : false, \"time\" : 0.000000001, " \
	"\"half\" : 100.0, \"ids\" : [], \"pairs\" : [], \"twice\" : \"b,\\\"\\n-b,\\\"\\n\"}"

static void json_has_an_object_per_line_or_an_array(void **state)
{
	static const char lines[] = "{" FIRST_OBJECT "\n{" SECOND_OBJECT "\n";

	(void)state;
	expect_json_lines(lines);
	expect(&row_json, false, false, lines);
	expect(&row_json, true, false, "[\n{" FIRST_OBJECT ",\n{" SECOND_OBJECT "\n]\n");
	expect(&row_json, false, true,
	       "{\"interval\" : 2.000000003, " FIRST_OBJECT "\n"
	       "{\"interval\" : 2.000000003, " SECOND_OBJECT "\n");
}

static void folded_lines_add_up_rows_of_the_same_frames(void **state)
{
	static const struct thing all[] = {
		{ .name = "x", .large = 1 },
		{ .name = "x", .large = 2 },
		{ .name = "y", .large = 4 },
	};
	struct strbuf sb = STRBUF_INIT;
	struct row_writer w = { .format = &row_folded, .text = &sb, .lines = STRBUF_INIT };

	(void)state;
	row_writer__begin(&w, NULL);
	for (size_t i = 0; i < 3; i++)
		row_writer__row(&w, columns, &all[i]);
	row_writer__row(&w, pair_columns, &all[0].small); /* does not belong to a stack */
	row_writer__end(&w);
	assert_string_equal(sb.text, "x-x 3\ny-y 4\n");
	strbuf__free(&sb);
}

static void the_last_columns_of_a_very_wide_table_are_not_aligned(void **state)
{
	struct column wide[41] = { 0 };
	struct strbuf sb = STRBUF_INIT, text = STRBUF_INIT;
	struct row_writer w = { .format = &row_table, .text = &sb, .lines = STRBUF_INIT };

	(void)state;
	for (int i = 0; i < 40; i++)
		wide[i] = (struct column)COLUMN(IN_TABLE, "x", struct thing, small, .right = true);
	row_writer__begin(&w, wide);
	row_writer__row(&w, wide, &things[1]);
	row_writer__end(&w);
	for (int i = 0; i < 80; i++)
		strbuf__addf(&text, "%c%s", i < 40 ? 'x' : '3', i % 40 < 39 ? "  " : "\n");
	assert_string_equal(sb.text, text.text);
	strbuf__free(&sb);
	strbuf__free(&text);
}

static void optional_values_are_missing_if_they_are_0_or_empty(void **state)
{
	static const struct column optional[] = {
		COLUMN(IN_DATA | IN_TABLE, "name", struct thing, name, .optional = true),
		COLUMN(IN_DATA | IN_TABLE, "small", struct thing, small, .optional = true),
		COLUMN_BY(IN_DATA, "tag", COLUMN_CHARS, COLUMN_AT(struct thing, tag),
			  .optional = true),
		COLUMN(IN_DATA | IN_TABLE, "good", struct thing, is_good),
		{ 0 },
	};
	static const struct {
		const struct row_format *format;
		const char *text;
	} all[] = {
		{ &row_json,
		  "{\"name\" : \"a\", \"tag\" : \"t\", \"good\" : true}\n{\"good\" : false}\n" },
		{ &row_csv, "a,t,true\nfalse\n" },
		{ &row_table, "name  small  good\na     -      true\n-     -      false\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct strbuf sb = STRBUF_INIT;
		struct row_writer w = {
			.format = all[i].format,
			.text = &sb,
			.separator = ",",
			.lines = STRBUF_INIT,
		};

		row_writer__begin(&w, optional);
		row_writer__row(&w, optional, &things[0]);
		row_writer__row(&w, optional, &things[2]);
		row_writer__end(&w);
		assert_string_equal(sb.text, all[i].text);
		strbuf__free(&sb);
	}
}

static void no_rows_are_an_empty_array_or_only_a_heading(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct row_writer w = {
		.format = &row_json, .text = &sb, .is_array = true, .lines = STRBUF_INIT
	};

	(void)state;
	row_writer__begin(&w, columns);
	row_writer__end(&w);
	assert_string_equal(sb.text, "[\n]\n");
	strbuf__reset(&sb);
	w.format = &row_table;
	row_writer__begin(&w, columns);
	row_writer__end(&w);
	assert_string_equal(sb.text, " large    share  name  runs  twice\n");
	strbuf__free(&sb);
}

static void a_text_that_is_missing_is_empty(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	row_writer__add_csv(&sb, ";", columns, &things[2]);
	assert_string_equal(sb.text, "thing;5;0.00;;;0;0.000000000;0.0;9;9;9;-");
	strbuf__free(&sb);
}

/* ---- narrow tables ---- */

static const struct column wide_columns[] = {
	COLUMN_REMARK_OF(struct thing, small, "small things, which is a remark of any length"),
	COLUMN(IN_TABLE, "share", struct thing, share, .width = 7),
	COLUMN(IN_TABLE | IN_CSV, "name", struct thing, name),
	COLUMN_BY(IN_TABLE, "names", COLUMN_MADE, .add = add_double_name),
	{ 0 },
};

static void expect_table(size_t max_width, const char *name, const char *table)
{
	const struct thing two[] = { { .name = name, .share = 7.5, .small = 1 },
				     { .name = "a", .share = 100 } };
	struct strbuf text = STRBUF_INIT;
	struct row_writer w = {
		.format = &row_table, .text = &text, .lines = STRBUF_INIT, .max_width = max_width
	};

	row_writer__begin(&w, wide_columns);
	row_writer__rows(&w, wide_columns, two, 2, sizeof(*two));
	row_writer__end(&w);
	assert_string_equal(text.text, table);
	strbuf__free(&text);
}

static void the_widest_texts_are_cut_in_the_middle(void **state)
{
	(void)state;
	expect_table(50, "/usr/share/0123456789/file.c",
		     "  share  name                 names\n"
		     "# 1 small things, which is a remark of any length\n"
		     "  7.50%  /usr/sha...9/file.c  /usr/shar...9/file.c\n"
		     "100.00%  a                    a-a\n");
	/* Otherwise, the line would have 84 columns. */
	expect_table(
		76, "/usr/share/012345/file.c",
		"  share  name                      names\n"
		"# 1 small things, which is a remark of any length\n"
		"  7.50%  /usr/share/012345/file.c  /usr/share/012345/f...share/012345/file.c\n"
		"100.00%  a                         a-a\n");
}

static void a_text_keeps_some_bytes_and_only_whole_characters(void **state)
{
	(void)state;
	expect_table(1, "0123456789abcdefg",
		     "  share  name          names\n"
		     "# 1 small things, which is a remark of any length\n"
		     "  7.50%  01234...defg  01234...defg\n"
		     "100.00%  a             a-a\n");
	/* Each umlaut has two bytes. */
	expect_table(1, "0123\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc012",
		     "  share  name          names\n"
		     "# 1 small things, which is a remark of any length\n"
		     "  7.50%  0123...012    0123...012\n"
		     "100.00%  a             a-a\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_a_heading_and_columns_that_are_aligned),
		cmocka_unit_test(csv_has_a_line_per_row_and_quotes_fields_if_necessary),
		cmocka_unit_test(csv_has_a_decimal_point_in_every_locale),
		cmocka_unit_test(json_has_an_object_per_line_or_an_array),
		cmocka_unit_test(folded_lines_add_up_rows_of_the_same_frames),
		cmocka_unit_test(the_last_columns_of_a_very_wide_table_are_not_aligned),
		cmocka_unit_test(optional_values_are_missing_if_they_are_0_or_empty),
		cmocka_unit_test(no_rows_are_an_empty_array_or_only_a_heading),
		cmocka_unit_test(a_text_that_is_missing_is_empty),
		cmocka_unit_test(the_widest_texts_are_cut_in_the_middle),
		cmocka_unit_test(a_text_keeps_some_bytes_and_only_whole_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
