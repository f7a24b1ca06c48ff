/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Determines how certain the ratio of two medians is. The bootstrap needs no assumption about the
 * distribution of the values (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter
 * 13, "percentile interval"). Both samples are drawn again many times, with replacement. The ratios
 * of the medians of these draws show how much the ratio varies by chance.
 */
#ifndef PSTAT_REPORT_COMPARE_BOOTSTRAP_H
#define PSTAT_REPORT_COMPARE_BOOTSTRAP_H

#include <stdbool.h>
#include <stdint.h>

/* Does not own the values, which are all finite and not negative. */
struct sample {
	const double *values;
	int nr; /* at least 1 */
};

/* Returns the middle value, or the mean of the two middle values. Returns NAN if memory ran out. */
double sample__median(const struct sample *sample);

/* Returns whether all values are equal. */
bool sample__is_constant(const struct sample *sample);

/* Owns the ratios, in ascending order. */
struct bootstrap {
	double *ratios; /* median of the new sample / median of the old one */
	int rounds;
};

/* Enough for 200 events that are corrected for each other. */
#define BOOTSTRAP_ROUNDS 10000

/*
 * Draws @rounds times. The same @seed and values give the same ratios on every machine. Both
 * samples need a median that is not 0. Returns 0 or -ENOMEM.
 */
int bootstrap__draw(struct bootstrap *b, const struct sample *old, const struct sample *new,
		    uint64_t seed, int rounds);
void bootstrap__free(struct bootstrap *b);

/* Returns the ratio below which this share (0 to 1) of all ratios lies. */
double bootstrap__quantile(const struct bootstrap *b, double share);

/*
 * Returns the probability, at least 1 / (rounds + 1), that a ratio is at most @limit. With @above,
 * that it is at least @limit.
 */
double bootstrap__probability(const struct bootstrap *b, double limit, bool above);

#endif
