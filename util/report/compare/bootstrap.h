/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bootstrap determines how certain the ratio of two medians is (Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, chapter 13, "percentile interval"). The bootstrap draws
 * values from both samples (the old and the new values) many times, with replacement. The ratios of
 * the medians of these draws show how much the ratio varies by chance. The values can have any
 * distribution.
 */
#ifndef PSTAT_REPORT_COMPARE_BOOTSTRAP_H
#define PSTAT_REPORT_COMPARE_BOOTSTRAP_H

#include <stdbool.h>
#include <stdint.h>

/* Does not own the values. bootstrap__draw() needs finite values that are not negative. */
struct sample {
	const double *values;
	int nr; /* the functions below need at least 1 */
};

/* Returns the middle value, or the mean of the two middle values. Returns NAN if memory ran out. */
double sample__median(const struct sample *sample);

/* Returns whether all values are equal. */
bool sample__is_constant(const struct sample *sample);

/* Owns the ratios, which are in ascending order. */
struct bootstrap {
	/* for each round: median of the drawn new values / median of the drawn old values */
	double *ratios;
	int rounds;
};

/* enough rounds to correct the verdicts on up to 200 events (Holm's method, see verdict.h) */
#define BOOTSTRAP_ROUNDS 10000

/*
 * Draws from both samples @rounds times, and stores the ratios in @b. Equal seeds and values give
 * equal ratios on every machine. The median of @old must not be 0. Returns 0 or -ENOMEM.
 */
int bootstrap__draw(struct bootstrap *b, const struct sample *old, const struct sample *new,
		    uint64_t seed, int rounds);
void bootstrap__free(struct bootstrap *b);

/* Returns the ratio below which the fraction @share (0 to 1) of all ratios lies. */
double bootstrap__quantile(const struct bootstrap *b, double share);

/*
 * Returns the probability that a ratio is at most @limit, or, if @above is set, at least @limit.
 * The result is never less than 1 / (rounds + 1).
 */
double bootstrap__probability(const struct bootstrap *b, double limit, bool above);

#endif
