// SPDX-License-Identifier: GPL-2.0-only
/* Histograms: buckets, percentiles, and their output in each format. */
#include "tests/unit/stat-fixture.h"

#include "util/count/hist-counts.h"

static int bucket_of(uint64_t value)
{
	for (int i = 0; i < HIST_BUCKETS; i++)
		if (value >= hist__low(i) && value <= hist__high(i))
			return i;
	fail_msg("%llu is in no bucket", (unsigned long long)value);
	return -1;
}

static void buckets_follow_each_other_and_end_at_the_largest_number(void **state)
{
	(void)state;
	assert_int_equal(hist__low(0), 0);
	for (int i = 1; i < HIST_BUCKETS; i++) {
		assert_true(hist__low(i) == hist__high(i - 1) + 1);
		assert_true(hist__high(i) >= hist__low(i));
	}
	assert_true(hist__high(HIST_BUCKETS - 1) == UINT64_MAX);
}

static void small_numbers_have_a_bucket_each_and_none_is_wider_than_an_eighth(void **state)
{
	(void)state;
	for (int i = 0; i < PROG_HIST_LINEAR; i++)
		assert_true(hist__low(i) == (uint64_t)i && hist__high(i) == (uint64_t)i);
	for (int i = PROG_HIST_LINEAR; i < HIST_BUCKETS; i++)
		assert_true(hist__high(i) - hist__low(i) < hist__low(i) / 8 + 1);
}

/* Makes a histogram of @values, in the same way as the BPF programs. */
static struct hist_counts *counts_of(const uint64_t *values, size_t nr)
{
	struct hist_counts *counts = calloc(1, sizeof(*counts));

	assert_non_null(counts);
	for (size_t i = 0; i < nr; i++) {
		counts->total[bucket_of(values[i])]++;
		if (values[i] > counts->max)
			counts->max = values[i];
	}
	return counts;
}

static void percentiles_are_within_a_bucket_of_the_truth(void **state)
{
	static const double shares[] = { 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0 };
	struct hist_sums *sums = hist_sums__new();
	uint64_t values[10000];
	struct hist_counts *counts;

	(void)state;
	for (size_t i = 0; i < 10000; i++)
		values[i] = 100 + i * i; /* sorted */
	counts = counts_of(values, 10000);
	hist_sums__add(sums, counts);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		uint64_t truth = values[(size_t)(shares[i] * 10000) - 1];
		uint64_t found = hist_sums__percentile(sums, shares[i]);

		assert_true(found >= truth);
		assert_int_equal(bucket_of(found), bucket_of(truth));
	}
	assert_true(hist_sums__percentile(sums, 1.0) == values[9999]);
	hist_sums__free(sums);
	free(counts);
}

static void an_empty_histogram_has_no_percentiles(void **state)
{
	struct hist_sums *sums = hist_sums__new();

	(void)state;
	assert_int_equal(hist_sums__percentile(sums, 0.5), 0);
	assert_int_equal(hist_sums__percentile(sums, 1.0), 0);
	hist_sums__free(sums);
}

static void an_interval_has_the_runs_since_the_mark(void **state)
{
	static const uint64_t values[] = { 5, 5, 5, 900 };
	struct hist_counts *counts = counts_of(values, 4);
	struct hist_sums *sums = hist_sums__new();

	(void)state;
	memcpy(counts->mark, counts->total, sizeof(counts->mark));
	counts->total[bucket_of(7)] += 3;
	hist_sums__set_delta(sums, counts);
	assert_int_equal(hist_sums__percentile(sums, 0.01), 7);
	assert_int_equal(hist_sums__percentile(sums, 1.0), 7);
	hist_sums__free(sums);
	free(counts);
}

static struct hist_rows hist;

/* Makes a fixture with cs and task-clock, and a histogram of one of them. */
static void fixture__hist(struct fixture *f, int event, const uint64_t *values, size_t nr)
{
	fixture__init(f, NULL);
	fixture__cs(f);
	fixture__clock(f);
	fixture__ready(f, AGGR_GLOBAL);
	fixture__count(f, 0, 1, 733632);
	fixture__count(f, 1, 733632, 733632);
	hist = (struct hist_rows){ .evsel = f->evlist->entries[event],
				   .nr = 1,
				   .rows = counts_of(values, nr) };
	f->measurement.hist = &hist;
}

static void expect(struct fixture *f, const struct output_format *format, const char *text)
{
	fixture__add_run(f, 2e6);
	fixture__expect(f, (struct output_config){ .format = format }, NULL, NULL, text);
	hist_rows__reset(&hist);
	fixture__free(f);
}

static const uint64_t some[] = { 3, 17, 17, 17, 17, 17, 17, 17, 17, 20 };

static void text_reports_contain_percentiles_and_bars(void **state)
{
	struct fixture f;

	(void)state;
	fixture__hist(&f, 0, some, 10);
	expect(&f, &output_std,
	       "                 1      cs                               #    1.363 K/sec          "
	       "           \n"
	       "              0.73 msec task-clock                       #    0.367 CPUs utilized  "
	       "           \n"
	       "\n cs per run, of 10 runs:\n\n"
	       "        p50 17   p90 17   p99 20   p99.9 20   max 20\n\n"
	       "               3 .. 3                           1 |*****                           "
	       "        |\n"
	       "               4 .. 15                          0 | ... 12 empty buckets\n"
	       "              16 .. 17                          8 "
	       "|****************************************|\n"
	       "              18 .. 19                          0 |                                "
	       "        |\n"
	       "              20 .. 21                          1 |*****                           "
	       "        |\n");
}

/*
 * Two values that are 260 buckets apart, and two empty buckets between two other values, are shown
 * bucket by bucket.
 */
static void distant_values_have_buckets_of_their_own(void **state)
{
	static const uint64_t distant[] = { 3, 6, 1ULL << 40, 1ULL << 40 };
	struct fixture f;

	(void)state;
	fixture__hist(&f, 0, distant, 4);
	expect(&f, &output_std,
	       "                 1      cs                               #    1.363 K/sec          "
	       "           \n"
	       "              0.73 msec task-clock                       #    0.367 CPUs utilized  "
	       "           \n"
	       "\n cs per run, of 4 runs:\n\n"
	       "        p50 6   p90 1099511627776   p99 1099511627776   p99.9 1099511627776   max "
	       "1099511627776\n\n"
	       "               3 .. 3                           1 |********************            "
	       "        |\n"
	       "               4 .. 4                           0 |                                "
	       "        |\n"
	       "               5 .. 5                           0 |                                "
	       "        |\n"
	       "               6 .. 6                           1 |********************            "
	       "        |\n"
	       "               7 .. 1099511627775               0 | ... 297 empty buckets\n"
	       "   1099511627776 .. 1236950581247               2 "
	       "|****************************************|\n");
}

static void text_reports_show_times_of_runs_in_microseconds(void **state)
{
	static const uint64_t times[] = { 5, 5 };
	struct fixture f;

	(void)state;
	fixture__hist(&f, 1, times, 2);
	expect(&f, &output_std,
	       "                 1      cs                               #    1.363 K/sec          "
	       "           \n"
	       "              0.73 msec task-clock                       #    0.367 CPUs utilized  "
	       "           \n"
	       "\n usec task-clock per run, of 2 runs:\n\n"
	       "        p50 0.005   p90 0.005   p99 0.005   p99.9 0.005   max 0.005\n\n"
	       "           0.005 .. 0.005                       2 "
	       "|****************************************|\n");
}

static void csv_has_a_line_for_each_bucket_with_runs(void **state)
{
	struct fixture f;

	(void)state;
	fixture__hist(&f, 0, some, 10);
	expect(&f, &output_csv,
	       "1,,cs,733632,100.00,1.363,K/sec\n"
	       "0.73,msec,task-clock,733632,100.00,0.367,CPUs utilized\n"
	       "1,,cs,hist,3,3\n"
	       "8,,cs,hist,16,17\n"
	       "1,,cs,hist,20,21\n");
}

static void a_unit_with_a_separator_in_it_is_in_quotes_in_csv(void **state)
{
	struct fixture f;

	(void)state;
	fixture__hist(&f, 0, some, 1);
	free(f.evlist->entries[0]->unit);
	f.evlist->entries[0]->unit = strdup("a,\"b\"");
	expect(&f, &output_csv,
	       "1,\"a,\"\"b\"\"\",cs,733632,100.00,1.363,K/sec\n"
	       "0.73,msec,task-clock,733632,100.00,0.367,CPUs utilized\n"
	       "1,\"a,\"\"b\"\"\",cs,hist,3,3\n");
}

static void json_has_an_object_for_each_histogram_with_the_units_of_the_event(void **state)
{
	static const uint64_t times[] = { 1000000, 3 };
	struct fixture f;

	(void)state;
	fixture__hist(&f, 1, times, 2);
	expect(&f, &output_json,
	       "{\"counter-value\" : \"1.000000\", \"unit\" : \"\", \"event\" : \"cs\", "
	       "\"event-runtime\" : 733632, "
	       "\"pcnt-running\" : 100.00, \"metric-value\" : \"1.363081\", \"metric-unit\" : "
	       "\"K/sec\"}\n"
	       "{\"counter-value\" : \"0.733632\", \"unit\" : \"msec\", \"event\" : "
	       "\"task-clock\", \"event-runtime\" "
	       ": "
	       "733632, \"pcnt-running\" : 100.00, \"metric-value\" : \"0.366816\", "
	       "\"metric-unit\" : \"CPUs "
	       "utilized\"}\n"
	       "{\"hist\" : \"task-clock\", \"unit\" : \"msec\", \"low\" : 0.000003, \"high\" : "
	       "0.000003, \"runs\" : "
	       "1}\n"
	       "{\"hist\" : \"task-clock\", \"unit\" : \"msec\", \"low\" : 0.983040, \"high\" : "
	       "1.048575, \"runs\" : "
	       "1}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_follow_each_other_and_end_at_the_largest_number),
		cmocka_unit_test(small_numbers_have_a_bucket_each_and_none_is_wider_than_an_eighth),
		cmocka_unit_test(percentiles_are_within_a_bucket_of_the_truth),
		cmocka_unit_test(an_empty_histogram_has_no_percentiles),
		cmocka_unit_test(an_interval_has_the_runs_since_the_mark),
		cmocka_unit_test(text_reports_contain_percentiles_and_bars),
		cmocka_unit_test(distant_values_have_buckets_of_their_own),
		cmocka_unit_test(text_reports_show_times_of_runs_in_microseconds),
		cmocka_unit_test(csv_has_a_line_for_each_bucket_with_runs),
		cmocka_unit_test(a_unit_with_a_separator_in_it_is_in_quotes_in_csv),
		cmocka_unit_test(json_has_an_object_for_each_histogram_with_the_units_of_the_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
