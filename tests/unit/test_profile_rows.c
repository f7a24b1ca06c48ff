// SPDX-License-Identifier: GPL-2.0-only
/* Rows of a profile that are made by hand, in each format. */
#include "tests/unit/json-lines.h"

#include "util/count/measurement.h"
#include "util/count/profile/profile.h"
#include "util/output/row-writer.h"
#include "util/report/profile/profile-report.h"

#define SUMS                                   \
	.sums = { .event = { 0, "cpu-clock" }, \
		  .self = { 3, 300 },          \
		  .total = { 5, 500 },         \
		  .share = 30,                 \
		  .total_share = 50 }

static void expect(const struct row_format *format, const struct column *columns, const void *row,
		   const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	struct row_writer w = {
		.format = format,
		.text = &sb,
		.separator = ",",
		.lines = STRBUF_INIT,
	};

	row_writer__begin(&w, columns);
	row_writer__row(&w, columns, row);
	row_writer__end(&w);
	assert_string_equal(sb.text, text);
	if (format == &row_json)
		expect_json_lines(sb.text);
	strbuf__free(&sb);
}

#define JSON_SELF "\"share\" : 30.00, \"samples\" : 3, \"weight\" : 300"
#define JSON_TOTAL "\"total-share\" : 50.00, \"total-samples\" : 5, \"total-weight\" : 500"

static void a_line_of_a_program(void **state)
{
	struct code_row line = {
		SUMS,	     .prog_id = 7,	     .prog_name = "count\n",
		.func = "f", .file = "/src/a.bpf.c", .text = "x, y",
		.line = 12,
	};

	(void)state;
	expect(&row_table, profile_line_columns, &line,
	       "   total   samples      self   samples  program   function  line\n"
	       "  50.00%         5    30.00%         3  7 count?  f         a.bpf.c:12\n");
	expect(&row_csv, profile_line_columns, &line,
	       "line,cpu-clock,30.00,3,300,7,\"count\n\",f,/src/a.bpf.c,12,\"x, y\",50.00,5,500\n");
	expect(&row_json, profile_line_columns, &line,
	       "{\"kind\" : \"line\", \"event\" : \"cpu-clock\", " JSON_SELF
	       ", \"prog-id\" : 7, \"prog\" : \"count\\n\", \"function\" : \"f\", "
	       "\"file\" : \"/src/a.bpf.c\", \"line\" : 12, \"text\" : \"x, y\", " JSON_TOTAL
	       "}\n");
	line.line = 0;
	expect(&row_table, profile_line_columns, &line,
	       "   total   samples      self   samples  program   function  line\n"
	       "  50.00%         5    30.00%         3  7 count?  f         -\n");
}

static void code_of_a_program(void **state)
{
	struct code_row row = {
		SUMS,	     .kind = CODE_SOURCE, .prog_id = 7,	       .prog_name = "count",
		.func = "f", .file = "a.c",	  .text = "\tx\t= 1;", .begins_file = true,
		.line = 12,  .insn = 32,
	};

	(void)state;
	expect(&row_table, code_title_columns, &row, "# program 7 count\n");
	expect(&row_table, code_row__columns(&row), &row,
	       "   total   samples      self   samples    line  code\n"
	       "                                                a.c\n"
	       "  50.00%         5    30.00%         3      12          x       = 1;\n");
	expect(&row_csv, code_row__columns(&row), &row,
	       "source,cpu-clock,30.00,3,300,7,count,f,a.c,12,\tx\t= 1;,50.00,5,500\n");
	row.kind = CODE_MACHINE;
	expect(&row_table, code_row__columns(&row), &row,
	       "   total   samples      self   samples    line  code\n"
	       "  50.00%         5    30.00%         3          machine code +0x20\n");
	expect(&row_json, code_row__columns(&row), &row,
	       "{\"kind\" : \"code\", \"event\" : \"cpu-clock\", " JSON_SELF
	       ", \"prog-id\" : 7, \"prog\" : \"count\", \"function\" : \"f\", \"offset\" : "
	       "32, " JSON_TOTAL "}\n");
	row.kind = CODE_FUNC;
	row.sums.self.samples = row.sums.total.samples = 0;
	expect(&row_table, code_row__columns(&row), &row,
	       "   total   samples      self   samples  code\n"
	       "                                        function f\n");
}

static void a_function_with_and_without_a_line(void **state)
{
	struct symbol_row row = {
		SUMS,
		.name = { .function = "f", .object = "/lib/l.so", .file = "/src/f.c", .line = 4 }
	};

	(void)state;
	expect(&row_table, symbol_line_columns, &row,
	       "   share   samples     total  object  function  line\n"
	       "  30.00%         3    50.00%  l.so    f         f.c:4\n");
	expect(&row_csv, symbol_line_columns, &row,
	       "symbol,cpu-clock,30.00,3,300,50.00,5,500,/lib/l.so,f,/src/f.c,4,\n");
	expect(&row_json, symbol_columns, &row,
	       "{\"kind\" : \"symbol\", \"event\" : \"cpu-clock\", " JSON_SELF ", " JSON_TOTAL
	       ", \"object\" : \"/lib/l.so\", \"function\" : \"f\", \"file\" : \"/src/f.c\", "
	       "\"line\" : 4}\n");
	row.name = (struct code_name){ .object = "/lib/l.so" };
	expect(&row_table, symbol_line_columns, &row,
	       "   share   samples     total  object  function   line\n"
	       "  30.00%         3    50.00%  l.so    [unknown]  -\n");
	expect(&row_csv, symbol_columns, &row,
	       "symbol,cpu-clock,30.00,3,300,50.00,5,500,/lib/l.so,,,0,\n");
	expect(&row_json, symbol_columns, &row,
	       "{\"kind\" : \"symbol\", \"event\" : \"cpu-clock\", " JSON_SELF ", " JSON_TOTAL
	       ", \"object\" : \"/lib/l.so\", \"function\" : \"\"}\n");
	row.name.address = 0x12f0;
	row.name.has_address = true;
	expect(&row_table, symbol_columns, &row,
	       "   share   samples     total  object  function\n"
	       "  30.00%         3    50.00%  l.so    l.so+0x12f0\n");
	expect(&row_csv, symbol_columns, &row,
	       "symbol,cpu-clock,30.00,3,300,50.00,5,500,/lib/l.so,,,0,0x12f0\n");
	expect(&row_json, symbol_columns, &row,
	       "{\"kind\" : \"symbol\", \"event\" : \"cpu-clock\", " JSON_SELF ", " JSON_TOTAL
	       ", \"object\" : \"/lib/l.so\", \"function\" : \"\", \"address\" : \"0x12f0\"}\n");
}

static void a_stack(void **state)
{
	struct code_name names[] = {
		{ .function = "main", .object = "/bin/x", .file = "/src/x.c", .line = 4 },
		{ .object = "/lib/a;b.so" },
		{ .object = "[anon]", .address = 0x7f00, .has_address = true },
	};
	struct stack_row row = {
		.event = { 0, "cpu-clock" },
		.pid = 9,
		.comm = "a;b",
		.sum = { 3, 300 },
		.nr = 3,
		.names = names,
	};

	(void)state;
	expect(&row_folded, stack_columns, &row, "a:b;main x.c:4;[a:b.so];[anon+0x7f00] 3\n");
	expect(&row_csv, stack_columns, &row,
	       "stack,cpu-clock,3,300,9,a;b,main x.c:4;[a:b.so];[anon+0x7f00]\n");
	expect(&row_json, stack_columns, &row,
	       "{\"kind\" : \"stack\", \"event\" : \"cpu-clock\", \"samples\" : 3, \"weight\" : "
	       "300, "
	       "\"pid\" : 9, \"comm\" : \"a;b\", \"frames\" : [{\"object\" : \"/bin/x\", "
	       "\"function\" : \"main\", \"file\" : \"/src/x.c\", \"line\" : 4}, "
	       "{\"object\" : \"/lib/a;b.so\", \"function\" : \"\"}, "
	       "{\"object\" : \"[anon]\", \"function\" : \"\", \"address\" : \"0x7f00\"}]}\n");
}

static void the_number_of_samples_is_shown_by_their_fate(void **state)
{
	struct profile profile = { 0 };
	struct sampling sampling = { .period = 1000 };
	struct measurement measurement = { .time_ns = 1500000000, .profile = &profile };
	struct profile_report report = {
		.sampling = &sampling,
		.measurement = &measurement,
		.is_interval = true,
	};
	struct profile_totals totals = {
		.event = { 0, "cpu-clock" },
		.report = &report,
		.samples = 1,
		.weight = 2,
		.kept = 3,
		.kept_weight = 4,
		.self = 5,
		.no_room = 6,
		.busy = 7,
		.no_stack = 8,
		.missed = 9,
		.enabled = 20,
		.running = 5,
		.count = 11,
		.collided = 1,
		.no_stack_room = 2,
		.failed = 3,
		.lost_mappings = 4,
	};

	(void)state;
	expect(&row_table, profile_totals_columns, &totals,
	       "# 1.500000000 s: cpu-clock, each 1000: 1 samples\n"
	       "# 6 samples are not shown: the map is full (--map-size)\n"
	       "# 7 samples are not shown: they came while the map was being changed\n"
	       "# 8 samples are not shown: the kernel could not walk their stacks\n"
	       "# about 9 samples were not taken: throttling, a late timer, or BPF programs "
	       "that the kernel does not sample\n"
	       "# the event had a counter for 25.00% of the time\n");
	expect(&row_csv, profile_totals_columns, &totals,
	       "total,cpu-clock,1,2,3,0,6,7,9,20,5,11,5,8\n");
	expect(&row_table, profile_losses_columns, &totals,
	       "# 1 stacks are lost: other stacks occupy their slots in the map "
	       "(--stack-map-size)\n"
	       "# 2 stacks are lost: the map is full (--stack-map-size)\n"
	       "# 3 stacks are lost: the kernel could not walk them\n"
	       "# 4 records of new mappings were lost: functions of programs started then may be "
	       "unknown\n");
	expect(&row_json, profile_losses_columns, &totals,
	       "{\"kind\" : \"stacks\", \"event\" : \"cpu-clock\", \"collided\" : 1, \"no-room\" : "
	       "2, "
	       "\"failed\" : 3, \"cut\" : 0, \"unnamed\" : 0, \"lost-mappings\" : 4}\n");
}

static void short_threads_are_a_reason_for_missed_samples(void **state)
{
	struct sampling sampling = { .period = 1000 };
	struct profile_report report = { .sampling = &sampling };
	struct profile_totals totals = {
		.event = { 0, "cpu-clock" },
		.report = &report,
		.samples = 1,
		.missed = 9,
		.of_tasks = true,
	};

	(void)state;
	expect(&row_table, profile_totals_columns, &totals,
	       "# cpu-clock, each 1000: 1 samples\n"
	       "# about 9 samples were not taken: throttling, a late timer, threads that end "
	       "within a period, or BPF programs that the kernel does not sample\n");
}

static int by_event(const void *left, const void *right)
{
	return ((const struct profile_sums *)left)->event.nr -
	       ((const struct profile_sums *)right)->event.nr;
}

static void equal_rows_are_merged_and_larger_ones_come_first(void **state)
{
	struct profile_sums rows[] = {
		{ .event = { 1, "b" }, .self = { 1, 10 }, .total = { 2, 20 } },
		{ .event = { 0, "a" }, .self = { 1, 30 }, .total = { 1, 30 } },
		{ .event = { 1, "b" }, .self = { 4, 40 }, .total = { 4, 40 } },
	};
	struct profile_totals totals[] = { { .kept_weight = 30 }, { .kept_weight = 100 } };
	int nr = profile_sums__merge(rows, 3, sizeof(rows[0]), by_event);

	(void)state;
	assert_int_equal(nr, 2);
	profile_sums__share_out(rows, nr, sizeof(rows[0]), totals);
	assert_string_equal(rows[0].event.name, "a");
	assert_true(rows[0].share == 100 && rows[0].total_share == 100);
	assert_true(rows[1].self.samples == 5 && rows[1].total.weight == 60);
	assert_true(rows[1].share == 50 && rows[1].total_share == 60);
	assert_true(profile_sums__compare(&rows[0], &rows[1], false) < 0);
	rows[0].event.nr = 1;
	assert_true(profile_sums__compare(&rows[0], &rows[1], false) > 0);
	rows[0].total.weight = 60;
	assert_true(profile_sums__compare(&rows[0], &rows[1], false) > 0);
	assert_true(profile_sums__compare(&rows[1], &rows[0], true) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_a_program),
		cmocka_unit_test(code_of_a_program),
		cmocka_unit_test(a_function_with_and_without_a_line),
		cmocka_unit_test(a_stack),
		cmocka_unit_test(the_number_of_samples_is_shown_by_their_fate),
		cmocka_unit_test(short_threads_are_a_reason_for_missed_samples),
		cmocka_unit_test(equal_rows_are_merged_and_larger_ones_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
