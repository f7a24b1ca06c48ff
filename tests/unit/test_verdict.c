// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts on samples: fixed ones, and a thousand simulated pairs of each kind. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/report/compare/verdict.h"

#define NR(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define SAMPLE(...)                                         \
	{                                                   \
		.values = (const double[]){ __VA_ARGS__ },  \
		.nr = NR(((const double[]){ __VA_ARGS__ })) \
	}

static struct comparison find(struct sample old, struct sample new, double tolerance)
{
	struct comparison c = { .old = old, .new = new, .tolerance = tolerance };

	assert_int_equal(verdicts__find(&c, 1, 1, BOOTSTRAP_ROUNDS), 0);
	return c;
}

static const struct golden {
	struct sample old, new;
	double tolerance;
	enum verdict verdict;
	enum verdict_gap gap;
} golden[] = {
	/* Counts that never vary are compared directly. */
	{ SAMPLE(100, 100), SAMPLE(101, 101), 0, VERDICT_WORSE, GAP_NONE },
	{ SAMPLE(100, 100), SAMPLE(99, 99), 0, VERDICT_BETTER, GAP_NONE },
	{ SAMPLE(100, 100), SAMPLE(100, 100), 0, VERDICT_WITHIN, GAP_NONE },
	{ SAMPLE(100, 100), SAMPLE(101, 101), 0.01, VERDICT_WITHIN, GAP_NONE },
	{ SAMPLE(100, 100), SAMPLE(102, 102), 0.01, VERDICT_WORSE, GAP_NONE },
	{ SAMPLE(0, 0), SAMPLE(0, 0), 0.01, VERDICT_WITHIN, GAP_NONE },
	{ SAMPLE(0, 0), SAMPLE(1, 1), 0.01, VERDICT_WORSE, GAP_NONE },
	{ SAMPLE(1, 1), SAMPLE(0, 0), 0.01, VERDICT_BETTER, GAP_NONE },
	/* One run does not show whether the values vary. */
	{ SAMPLE(100), SAMPLE(200), 0.01, VERDICT_CANNOT_TELL, GAP_FEW },
	{ SAMPLE(100, 101, 102, 103, 104), SAMPLE(200, 201, 202, 203, 204), 0.01,
	  VERDICT_CANNOT_TELL, GAP_FEW },
	{ { .nr = 0 }, SAMPLE(1, 1), 0.01, VERDICT_CANNOT_TELL, GAP_OLD_MISSING },
	{ SAMPLE(1, 1), { .nr = 0 }, 0.01, VERDICT_CANNOT_TELL, GAP_NEW_MISSING },
	/* Ten runs whose values vary by 4 %. */
	{ SAMPLE(98, 99, 100, 101, 102, 98, 99, 100, 101, 102),
	  SAMPLE(118, 119, 120, 121, 122, 118, 119, 120, 121, 122), 0.05, VERDICT_WORSE, GAP_NONE },
	{ SAMPLE(118, 119, 120, 121, 122, 118, 119, 120, 121, 122),
	  SAMPLE(98, 99, 100, 101, 102, 98, 99, 100, 101, 102), 0.05, VERDICT_BETTER, GAP_NONE },
	{ SAMPLE(98, 99, 100, 101, 102, 98, 99, 100, 101, 102),
	  SAMPLE(98, 99, 100, 101, 102, 98, 99, 100, 101, 102), 0.05, VERDICT_WITHIN, GAP_NONE },
	{ SAMPLE(98, 99, 100, 101, 102, 98, 99, 100, 101, 102),
	  SAMPLE(99, 100, 101, 102, 103, 99, 100, 101, 102, 103), 0.01, VERDICT_CANNOT_TELL,
	  GAP_NONE },
	/* An event that hardly ever occurs. */
	{ SAMPLE(0, 0, 0, 0, 0, 1), SAMPLE(0, 0, 0, 0, 1, 1), 0.01, VERDICT_WITHIN, GAP_NONE },
	{ SAMPLE(0, 0, 0, 0, 0, 0), SAMPLE(1, 2, 3, 1, 2, 3), 0.01, VERDICT_WORSE, GAP_NONE },
	{ SAMPLE(0, 0, 0, 0, 0, 1), SAMPLE(1, 1, 1, 1, 1, 1), 0.01, VERDICT_CANNOT_TELL, GAP_NONE },
};

static void fixed_samples_have_known_verdicts(void **state)
{
	(void)state;
	for (int i = 0; i < NR(golden); i++) {
		const struct golden *g = &golden[i];
		struct comparison c = find(g->old, g->new, g->tolerance);

		if (c.verdict != g->verdict || c.gap != g->gap)
			fail_msg("sample %d: verdict %d, gap %d, [%g, %g]", i, (int)c.verdict,
				 (int)c.gap, c.low, c.high);
		/* Only this verdict asks for more runs. */
		if (c.verdict != VERDICT_CANNOT_TELL)
			assert_int_equal(c.more_runs, 0);
	}
}

static void the_medians_and_their_ratio_are_exact(void **state)
{
	struct comparison c =
		find((struct sample)SAMPLE(4, 1, 2, 3), (struct sample)SAMPLE(5, 5, 5), 0.01);

	(void)state;
	assert_true(c.old_median == 2.5 && c.new_median == 5 && c.ratio == 2);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	const double old[] = { 11, 14, 10, 13, 12, 15, 17 }, new[] = { 12, 14, 15, 11, 13, 16, 19 };
	double width[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct comparison c = { .old = { old, NR(old) }, .new = { new, NR(new) } };

		assert_int_equal(verdicts__find(&c, 1, i == 2 ? 99 : 7, 20), 0);
		width[i] = c.high - c.low;
	}
	assert_true(width[0] == width[1] && width[0] != width[2]);
}

static double uniform(void)
{
	return (rand() + 1.0) / (RAND_MAX + 2.0);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/*
 * Makes up times of runs on a busy machine: a few percent of noise, and sometimes a run that is
 * much slower.
 */
static void simulate(double *values, int nr, double mean, double noise)
{
	for (int i = 0; i < nr; i++) {
		values[i] = mean * (1 + noise * fabs(normal()));
		if (uniform() < 0.03)
			values[i] *= 1 + uniform();
	}
}

enum { PAIRS = 1000, RUNS = 30, ROUNDS = 500 };

/*
 * Returns how many of PAIRS pairs have the verdict if the second series is @shift times the first.
 */
static int count_verdicts(double shift, double noise, double tolerance, enum verdict verdict)
{
	double old[RUNS], new[RUNS];
	int nr = 0;

	srand(20);
	for (int i = 0; i < PAIRS; i++) {
		struct comparison c = { .old = { old, RUNS },
					.new = { new, RUNS },
					.tolerance = tolerance };

		simulate(old, RUNS, 1e6, noise);
		simulate(new, RUNS, 1e6 * shift, noise);
		assert_int_equal(verdicts__find(&c, 1, (uint64_t)i, ROUNDS), 0);
		nr += c.verdict == verdict;
	}
	return nr;
}

static void at_most_5_percent_of_equal_pairs_are_called_different(void **state)
{
	int worse = count_verdicts(1, 0.03, 0, VERDICT_WORSE);
	int better = count_verdicts(1, 0.03, 0, VERDICT_BETTER);

	(void)state;
	print_message("without tolerance: %d worse, %d better of %d\n", worse, better, PAIRS);
	assert_true(worse + better <= PAIRS / 20);
	/* The tolerance is as large as the noise. */
	assert_true(count_verdicts(1, 0.01, 0.01, VERDICT_WORSE) <= PAIRS / 200);
}

static void ninety_five_percent_of_pairs_that_differ_by_twice_the_tolerance_are_found(void **state)
{
	int found = count_verdicts(1.02, 0.01, 0.01, VERDICT_WORSE);

	(void)state;
	print_message("shifted by twice the tolerance: %d of %d\n", found, PAIRS);
	assert_true(found >= PAIRS * 95 / 100);
	assert_true(count_verdicts(0.98, 0.01, 0.01, VERDICT_BETTER) >= PAIRS * 95 / 100);
}

/* With six runs on each side, all values of one side are larger by chance in 0.2 % of the cases. */
static void few_runs_of_many_events_have_no_verdict(void **state)
{
	static const double low[] = { 10, 11, 12, 13, 14, 15 }, high[] = { 20, 21, 22, 23, 24, 25 };
	struct comparison c[30];

	(void)state;
	for (int nr = 20; nr <= 30; nr += 10) {
		for (int i = 0; i < nr; i++)
			c[i] = (struct comparison){ .old = { low, 6 }, .new = { high, 6 } };
		assert_int_equal(verdicts__find(c, nr, 1, BOOTSTRAP_ROUNDS), 0);
		for (int i = 0; i < nr; i++)
			assert_int_equal(c[i].verdict,
					 nr == 20 ? VERDICT_WORSE : VERDICT_CANNOT_TELL);
	}
}

/* Without a correction, some of ten equal events would be called different. */
static void the_results_of_several_events_are_corrected_for_each_other(void **state)
{
	enum { EVENTS = 10, FAMILIES = 100 };
	static double values[EVENTS][2][RUNS];
	int families = 0, alone = 0;

	(void)state;
	srand(21);
	for (int f = 0; f < FAMILIES; f++) {
		struct comparison c[EVENTS] = { 0 };
		int wrong = 0;

		for (int e = 0; e < EVENTS; e++) {
			simulate(values[e][0], RUNS, 1e6, 0.03);
			simulate(values[e][1], RUNS, 1e6, 0.03);
			c[e].old = (struct sample){ values[e][0], RUNS };
			c[e].new = (struct sample){ values[e][1], RUNS };
		}
		assert_int_equal(verdicts__find(c, EVENTS, (uint64_t)f, 2 * ROUNDS), 0);
		for (int e = 0; e < EVENTS; e++) {
			wrong += c[e].verdict != VERDICT_CANNOT_TELL;
			alone += c[e].low > 1 || c[e].high < 1;
		}
		families += wrong > 0;
	}
	print_message("%d of %d families have a wrong verdict; %d of %d intervals exclude 1\n",
		      families, FAMILIES, alone, FAMILIES * EVENTS);
	assert_true(families <= FAMILIES / 10);
	assert_true(alone > families);
}

static void the_number_of_necessary_runs_is_about_right(void **state)
{
	double old[2000], new[2000];
	struct comparison c = { .old = { old, 10 }, .new = { new, 10 }, .tolerance = 0.01 };
	int needed;

	(void)state;
	srand(3);
	simulate(old, NR(old), 1e6, 0.05);
	simulate(new, NR(new), 1e6, 0.05);
	assert_int_equal(verdicts__find(&c, 1, 1, ROUNDS), 0);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	needed = c.more_runs;
	assert_in_range(needed, 1, NR(old) - 10);
	c.old.nr = c.new.nr = NR(old);
	assert_int_equal(verdicts__find(&c, 1, 1, ROUNDS), 0);
	assert_int_equal(c.verdict, VERDICT_WITHIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_samples_have_known_verdicts),
		cmocka_unit_test(the_medians_and_their_ratio_are_exact),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(at_most_5_percent_of_equal_pairs_are_called_different),
		cmocka_unit_test(
			ninety_five_percent_of_pairs_that_differ_by_twice_the_tolerance_are_found),
		cmocka_unit_test(few_runs_of_many_events_have_no_verdict),
		cmocka_unit_test(the_results_of_several_events_are_corrected_for_each_other),
		cmocka_unit_test(the_number_of_necessary_runs_is_about_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
