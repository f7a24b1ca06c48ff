/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the mean, standard error and range of values without storing the values (Welford's
 * method).
 */
#ifndef PSTAT_REPORT_STATS_H
#define PSTAT_REPORT_STATS_H

#include <stdint.h>

/* A zeroed struct is empty. */
struct stats {
	uint64_t n;
	double mean;
	double m2; /* sum of squared distances from the mean */
	double min;
	double max;
};

void stats__add(struct stats *stats, double value);

/*
 * Returns the standard error of the mean: the standard deviation divided by the square root of n,
 * or 0 if n < 2.
 */
double stats__deviation(const struct stats *stats);

/* Returns 100 × @deviation / @mean, or 0 if the mean is 0. */
double stats__percent(double deviation, double mean);

#endif
