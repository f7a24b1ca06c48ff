// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single runs: the values that --outliers accepts, the order of records, thresholds of percentiles,
 * and the lines of each format.
 */
#include "tests/unit/stat-fixture.h"

#include <errno.h>
#include <linux/types.h>

#include "bpf_skel/prog_outliers.h"
#include "tests/unit/json-lines.h"
#include "util/base/strbuf.h"
#include "util/count/hist-counts.h"
#include "util/count/outliers.h"
#include "util/count/prog/prog-batch.h"
#include "util/report/outlier_row.h"

/* ---- totals ---- */

static void totals_of_all_runs_stay_unchanged(void **state)
{
	struct outlier_sums sums = { .passed = 10, .streamed = 4, .suppressed = 3, .lost = 3 };

	(void)state;
	assert_int_equal(outlier_sums__balance(&sums), 0);
	assert_int_equal(sums.passed, 10);
	assert_int_equal(sums.lost, 3);
}

static void runs_with_an_unknown_fate_count_as_lost(void **state)
{
	struct outlier_sums sums = { .passed = 10, .streamed = 4, .suppressed = 1, .lost = 2 };

	(void)state;
	assert_int_equal(outlier_sums__balance(&sums), 3);
	assert_int_equal(sums.passed, 10);
	assert_int_equal(sums.streamed, 4);
	assert_int_equal(sums.suppressed, 1);
	assert_int_equal(sums.lost, 5);
}

static void runs_that_arrive_late_have_passed(void **state)
{
	struct outlier_sums sums = { .passed = 5, .streamed = 6, .suppressed = 0, .lost = 1 };

	(void)state;
	assert_int_equal(outlier_sums__balance(&sums), 0);
	assert_int_equal(sums.passed, 7);
	assert_int_equal(sums.streamed, 6);
	assert_int_equal(sums.lost, 1);
}

/* ---- accepted values ---- */

static struct outlier_spec parsed(const char *text, const char *event)
{
	struct strbuf why = STRBUF_INIT;
	struct outlier_spec spec = { 0 };
	const char *found;

	assert_int_equal(outlier_spec__parse(text, &spec, &found, &why), 0);
	assert_string_equal(why.text, "");
	if (event)
		assert_string_equal(found, event);
	else
		assert_null(found);
	strbuf__free(&why);
	return spec;
}

static void a_value_is_a_number_of_counts_or_a_time(void **state)
{
	static const struct {
		const char *text, *event;
		uint64_t above;
		bool has_unit;
	} all[] = {
		{ "0", NULL, 0, false },
		{ "50000", NULL, 50000, false },
		{ "18446744073709551615", NULL, UINT64_MAX, false },
		{ "7,cycles", "cycles", 7, false },
		{ "7,cpu/event=1,umask=2/", "cpu/event=1,umask=2/", 7, false },
		{ "30ns", NULL, 30, true },
		{ "50us,time", "time", 50000, true },
		{ "2ms", NULL, 2000000, true },
		{ "3s,task-clock", "task-clock", 3000000000, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct outlier_spec spec = parsed(all[i].text, all[i].event);

		assert_false(spec.by_percentile);
		assert_true(spec.above == all[i].above);
		assert_int_equal(spec.has_unit, all[i].has_unit);
	}
}

static void a_percentile_is_between_0_and_100(void **state)
{
	struct outlier_spec spec = parsed("p99", NULL);

	(void)state;
	assert_true(spec.by_percentile && spec.share == 0.99);
	spec = parsed("p99.9,instructions", "instructions");
	assert_true(spec.by_percentile && spec.share > 0.9989 && spec.share < 0.9991);
	spec = parsed("p0.5", NULL);
	assert_true(spec.by_percentile && spec.share == 0.005);
}

static void other_values_are_refused_with_the_word(void **state)
{
	static const char *const all[][2] = {
		{ "", "''" },
		{ ",cycles", "''" },
		{ "x", "'x'" },
		{ "-1", "'-1'" },
		{ "1.5ms", "'1.5ms'" },
		{ "us", "'us'" },
		{ "5 us", "'5 us'" },
		{ "5m", "'5m'" },
		{ "18446744073709551616", "'18446744073709551616'" },
		{ "18446744073709551615us", "'18446744073709551615us'" },
		{ "111111111111111111111111111111", "'111111111111111111111111111111'" },
		{ "p", "p is not a percentile" },
		{ "p0", "p0 is" },
		{ "p100", "p100 is" },
		{ "p-1", "p-1 is" },
		{ "p9x,cycles", "p9x is" },
		{ "p1e1", "p1e1 is" },
		{ "pnan", "pnan is" },
		{ "p9.9.9", "p9.9.9 is" },
		{ "5,", "no event after the comma" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct strbuf why = STRBUF_INIT;
		struct outlier_spec spec = { 0 };
		const char *event;

		assert_int_equal(outlier_spec__parse(all[i][0], &spec, &event, &why), -EINVAL);
		if (!strstr(why.text, all[i][1]))
			assert_string_equal(why.text, all[i][1]);
		strbuf__free(&why);
	}
}

/* ---- the order ---- */

static void records_of_several_cpus_come_in_the_order_of_their_times(void **state)
{
	struct prog_batch batch = PROG_BATCH_INIT;
	/*
	 * Records of two CPUs, each in order. The size of a record is not a multiple of 8, so the
	 * batch must align the next record.
	 */
	static const uint64_t times[] = { 10, 30, 50, 20, 40 };
	char record[sizeof(struct prog_outlier) + 5] = { 0 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 5; i++) {
			((struct prog_outlier *)record)->time = times[i];
			record[sizeof(record) - 1] = (char)times[i];
			prog_batch__add(&batch, record, sizeof(record));
		}
		assert_int_equal(prog_batch__sort(&batch), 0);
		assert_int_equal(batch.nr, 5);
		for (size_t i = 0; i < 5; i++) {
			const struct prog_outlier *got = prog_batch__get(&batch, i);

			assert_true(got->time == 10 * (i + 1));
			assert_int_equal(((const char *)got)[sizeof(record) - 1], 10 * (i + 1));
			assert_int_equal((uintptr_t)got % sizeof(uint64_t), 0);
		}
		prog_batch__reset(&batch);
	}
	assert_int_equal(prog_batch__sort(&batch), 0);
	prog_batch__free(&batch);
}

static void a_batch_grows_to_any_number_of_records(void **state)
{
	struct prog_batch batch = PROG_BATCH_INIT;
	struct prog_outlier record = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		record.time = (i * 2654435761U) % 5000;
		prog_batch__add(&batch, &record, sizeof(record));
	}
	assert_int_equal(prog_batch__sort(&batch), 0);
	for (size_t i = 1; i < batch.nr; i++)
		assert_true(prog_batch__get(&batch, i - 1)->time <=
			    prog_batch__get(&batch, i)->time);
	assert_int_equal(batch.nr, 5000);
	prog_batch__free(&batch);
}

/* ---- percentiles ---- */

static void at_most_the_given_share_of_runs_is_above_the_percentiles_bucket(void **state)
{
	static uint64_t buckets[HIST_BUCKETS];

	(void)state;
	assert_int_equal(hist__bucket_at(buckets, 0.99, 100), -1);
	buckets[3] = 90;
	assert_int_equal(hist__bucket_at(buckets, 0.99, 100), -1);
	buckets[7] = 10;
	assert_int_equal(hist__bucket_at(buckets, 0.90, 100), 3);
	assert_int_equal(hist__bucket_at(buckets, 0.91, 100), 7);
	assert_int_equal(hist__bucket_at(buckets, 0.99, 100), 7);
	buckets[200] = 900;
	assert_int_equal(hist__bucket_at(buckets, 0.10, 100), 7);
	assert_int_equal(hist__bucket_at(buckets, 0.999, 100), 200);
}

/* ---- lines ---- */

static struct outlier_row_count counts[] = {
	{ .event = "instructions", .unit = "", .value = 1234567, .counted = true },
	{ .event = "cycles", .unit = "" },
	{ .event = "time", .unit = "ns", .value = 89, .counted = true },
};

static const uint8_t packet[] = { 0, 0xde, 0xad };

static const struct outlier_row row = {
	.time_ns = 12000000345,
	.cpu = 3,
	.pid = 41,
	.tid = 42,
	.comm = "a,\"\033b",
	.prog_id = 7,
	.prog = "xdp_slow",
	.passed = "instructions",
	.counts = counts,
	.nr_counts = 3,
};

static const struct outlier_foot foot = {
	.passed = "instructions",
	.all = 10,
	.streamed = 5,
	.suppressed = 3,
	.lost = 2,
	.rate = 1000,
};

/* Compares the output for a run, for a run with a packet, and for the totals at the end. */
static void expect_lines(struct output_config config, const char *text, bool json)
{
	struct outlier_row with_packet = row;
	struct sink sink;

	with_packet.has_packet = true;
	with_packet.packet = packet;
	with_packet.packet_bytes = 3;
	with_packet.packet_len = 1500;
	sink__open(&sink, config);
	assert_int_equal(output__outlier(sink.output, &row), 0);
	assert_int_equal(output__outlier(sink.output, &with_packet), 0);
	assert_int_equal(output__outlier_foot(sink.output, &foot), 0);
	fflush(sink.file);
	if (json)
		expect_json_lines(sink.text);
	sink__expect(&sink, text);
}

static void text_reports_have_a_heading_and_a_line_per_run(void **state)
{
	(void)state;
	expect_lines((struct output_config){ .format = &output_std, .big_num = true },
		     "#           time  cpu     pid comm                id prog            counts "
		     "of the run\n"
		     "    12.000000345    3      41 a,\"?b                7 xdp_slow               "
		     " 1234567 "
		     "instructions   <not counted> cycles              89 ns time\n"
		     "    12.000000345    3      41 a,\"?b                7 xdp_slow               "
		     " 1234567 "
		     "instructions   <not counted> cycles              89 ns time  packet of 1500: "
		     "00dead\n"
		     " outliers by instructions: 5 streamed, 3 suppressed (more than 1000 a "
		     "second), 2 lost; 10 in all\n\n",
		     false);
}

static void csv_begins_with_a_word_that_is_not_a_count(void **state)
{
	(void)state;
	expect_lines((struct output_config){ .format = &output_csv },
		     "outlier,12.000000345,3,41,\"a,\"\"?b\",7,xdp_slow,1234567,,instructions,<not "
		     "counted>,,cycles,"
		     "89,ns,time\n"
		     "outlier,12.000000345,3,41,\"a,\"\"?b\",7,xdp_slow,1234567,,instructions,<not "
		     "counted>,,cycles,"
		     "89,ns,time,packet,1500,00dead\n"
		     "outliers,all,10,streamed,5,suppressed,3,lost,2\n",
		     false);
}

static void json_has_one_object_per_run(void **state)
{
#define OBJECT                                                                                   \
	"{\"outlier\" : \"instructions\", \"time\" : 12.000000345, \"cpu\" : 3, \"pid\" : 41, "  \
	"\"tid\" : 42, "                                                                         \
	"\"comm\" : \"a,\\\"\\u001bb\", \"prog-id\" : 7, \"prog\" : \"xdp_slow\", \"counts\" : " \
	"[{\"event\" : "                                                                         \
	"\"instructions\", \"unit\" : \"\", \"value\" : 1234567}, {\"event\" : \"cycles\", "     \
	"\"unit\" : \"\", "                                                                      \
	"\"value\" : \"<not counted>\"}, {\"event\" : \"time\", \"unit\" : \"ns\", \"value\" : " \
	"89}]"
	(void)state;
	expect_lines((struct output_config){ .format = &output_json },
		     OBJECT "}\n" OBJECT ", \"packet-length\" : 1500, \"packet\" : \"00dead\"}\n"
			    "{\"outliers\" : \"instructions\", \"all\" : 10, \"streamed\" : 5, "
			    "\"suppressed\" : 3, "
			    "\"lost\" : 2}\n",
		     true);
}

static void a_run_without_a_packet_has_no_packet_fields(void **state)
{
	struct outlier_row none = row;
	struct sink sink;

	(void)state;
	none.has_packet = true;
	sink__open(&sink, (struct output_config){ .format = &output_json });
	assert_int_equal(output__outlier(sink.output, &none), 0);
	fflush(sink.file);
	assert_null(strstr(sink.text, "packet"));
	sink__close(&sink);
}

/* ---- branches ---- */

static struct branch_row branches[] = {
	{ .from = (char *)"look_up+0x10",
	  .from_line = (char *)"lb.c:12",
	  .to = (char *)"hash+0x0",
	  .to_line = (char *)"lb.c:5",
	  .mispredicted = true,
	  .cycles = 40 },
	{ .from = (char *)"hash+0x8",
	  .from_line = (char *)"",
	  .to = (char *)"0xffffffff81000000",
	  .to_line = (char *)"" },
};

static void expect_branches(struct output_config config, const char *text, bool json)
{
	struct outlier_row with_branches = row;
	struct sink sink;

	with_branches.comm = "sh";
	with_branches.counts = counts + 2;
	with_branches.nr_counts = 1;
	with_branches.branches = (struct branch_rows){ .nr = 2, .list = branches };
	sink__open(&sink, config);
	assert_int_equal(output__outlier(sink.output, &with_branches), 0);
	fflush(sink.file);
	if (json)
		expect_json_lines(sink.text);
	sink__expect(&sink, text);
}

static void branches_follow_their_run(void **state)
{
	(void)state;
	expect_branches((struct output_config){ .format = &output_std },
			"#           time  cpu     pid comm                id prog            "
			"counts of the run\n"
			"    12.000000345    3      41 sh                   7 xdp_slow        "
			"             89 ns time\n"
			"                 branch look_up+0x10 (lb.c:12) -> hash+0x0 (lb.c:5), "
			"after 40 cycles, mispredicted\n"
			"                 branch hash+0x8 -> 0xffffffff81000000\n",
			false);
	expect_branches((struct output_config){ .format = &output_csv },
			"outlier,12.000000345,3,41,sh,7,xdp_slow,89,ns,time,branches,2,"
			"look_up+0x10,lb.c:12,hash+0x0,lb.c:5,hash+0x8,,0xffffffff81000000,\n",
			false);
	expect_branches(
		(struct output_config){ .format = &output_json },
		"{\"outlier\" : \"instructions\", \"time\" : 12.000000345, \"cpu\" : 3, "
		"\"pid\" : 41, \"tid\" : 42, \"comm\" : \"sh\", \"prog-id\" : 7, \"prog\" : "
		"\"xdp_slow\", \"counts\" : [{\"event\" : \"time\", \"unit\" : \"ns\", "
		"\"value\" : 89}], \"branches\" : [{\"from\" : \"look_up+0x10\", "
		"\"from-line\" : \"lb.c:12\", \"to\" : \"hash+0x0\", \"to-line\" : "
		"\"lb.c:5\", \"mispredicted\" : true, \"cycles\" : 40}, {\"from\" : "
		"\"hash+0x8\", \"to\" : \"0xffffffff81000000\"}]}\n",
		true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_all_runs_stay_unchanged),
		cmocka_unit_test(runs_with_an_unknown_fate_count_as_lost),
		cmocka_unit_test(runs_that_arrive_late_have_passed),
		cmocka_unit_test(a_value_is_a_number_of_counts_or_a_time),
		cmocka_unit_test(a_percentile_is_between_0_and_100),
		cmocka_unit_test(other_values_are_refused_with_the_word),
		cmocka_unit_test(records_of_several_cpus_come_in_the_order_of_their_times),
		cmocka_unit_test(a_batch_grows_to_any_number_of_records),
		cmocka_unit_test(at_most_the_given_share_of_runs_is_above_the_percentiles_bucket),
		cmocka_unit_test(text_reports_have_a_heading_and_a_line_per_run),
		cmocka_unit_test(csv_begins_with_a_word_that_is_not_a_count),
		cmocka_unit_test(json_has_one_object_per_run),
		cmocka_unit_test(a_run_without_a_packet_has_no_packet_fields),
		cmocka_unit_test(branches_follow_their_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
