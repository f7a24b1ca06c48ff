// SPDX-License-Identifier: GPL-2.0-only
/* Intervals in the text format: their times and columns. */
#include "tests/unit/stat-fixture.h"

static void an_interval_follows_its_time(void **state)
{
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__task(&f, 1, 704045, 75);
	sink__open(&sink,
		   (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	fixture__write_interval(&f, sink.output, (struct timespec){ 0, 200242841 }, 200e6);
	fixture__mark(&f);
	fixture__write_interval(&f, sink.output, (struct timespec){ 0, 400607163 }, 200e6);
	sink__expect(&sink, "#           time             counts unit events\n"
			    "     0.200242841                  1      cs                           "
			    "    #    1.420 "
			    "K/sec                     \n"
			    "     0.200242841               0.70 msec task-clock                   "
			    "    #    0.004 CPUs "
			    "utilized             \n"
			    "     0.200242841                 75      page-faults                  "
			    "    #  106.527 "
			    "K/sec                     \n"
			    "     0.400607163      <not counted>      cs                           "
			    "                    "
			    "                     \n"
			    "     0.400607163      <not counted> msec task-clock                   "
			    "                    "
			    "                     \n"
			    "     0.400607163      <not counted>      page-faults                  "
			    "                    "
			    "                     \n");
	fixture__free(&f);
}

static void the_heading_is_repeated_after_26_intervals(void **state)
{
	int headings = 0, line = 0, second = -1;
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	fixture__ready(&f, AGGR_GLOBAL);
	sink__open(&sink,
		   (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	for (int i = 0; i < 30; i++) {
		fixture__write_interval(&f, sink.output, (struct timespec){ i, 0 }, 1e6);
	}
	for (const char *at = sink.text; *at; at = strchr(at, '\n') + 1, line++) {
		if (*at != '#')
			continue;
		if (headings++ == 1)
			second = line;
	}
	assert_int_equal(headings, 2);
	/*
	 * the second heading follows a heading and 26 intervals of one row
	 */
	assert_int_equal(second, 27);
	sink__close(&sink);
	fixture__free(&f);
}

static void a_cleared_screen_has_a_heading_each_time(void **state)
{
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__ready(&f, AGGR_GLOBAL);
	sink__open(&sink, (struct output_config){
				  .format = &output_std,
				  .aggr_mode = AGGR_GLOBAL,
				  .clear_screen = true,
			  });
	for (int i = 0; i < 2; i++) {
		fixture__write_interval(&f, sink.output, (struct timespec){ i, 0 }, 1e6);
	}
	sink__expect(&sink, "\033[H\033[2J#           time             counts unit events\n"
			    "\033[H\033[2J#           time             counts unit events\n");
	fixture__free(&f);
}

static void a_wide_unit_widens_the_column(void **state)
{
	struct evsel *evsel;
	struct sink sink;
	struct fixture f;

	(void)state;
	fixture__init(&f, NULL);
	fixture__cs(&f);
	evsel = fixture__event(&f, "power/energy-pkg/", 40, 2);
	free(evsel->unit);
	evsel->unit = strdup("Joules");
	evsel->scale = 0.25;
	fixture__ready(&f, AGGR_GLOBAL);
	fixture__count(&f, 0, 3, 10);
	fixture__count(&f, 1, 10, 10);
	sink__open(&sink,
		   (struct output_config){ .format = &output_std, .aggr_mode = AGGR_GLOBAL });
	fixture__write_interval(&f, sink.output, (struct timespec){ 1, 0 }, 1e6);
	sink__expect(&sink, "#           time             counts   unit events\n"
			    "     1.000000000                  3        cs                         "
			    "                    "
			    "                       \n"
			    "     1.000000000               2.50 Joules power/energy-pkg/          "
			    "                    "
			    "                       \n");
	fixture__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_follows_its_time),
		cmocka_unit_test(the_heading_is_repeated_after_26_intervals),
		cmocka_unit_test(a_cleared_screen_has_a_heading_each_time),
		cmocka_unit_test(a_wide_unit_widens_the_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
