/* SPDX-License-Identifier: GPL-2.0-only */
/* Mean and spread of a series, one value at a time, without keeping the values (Welford's method). */
#ifndef PSTAT_REPORT_STATS_H
#define PSTAT_REPORT_STATS_H

#include <stdint.h>

/* Zeroed is empty. */
struct stats {
	uint64_t n;
	double mean;
	double m2; /* sum of the squared distances from the mean */
};

void stats__add(struct stats *stats, double value);

/* The standard error of the mean: the deviation of the values over the root of their number; 0 with fewer than two. */
double stats__deviation(const struct stats *stats);

/* 100 × @deviation / @mean; 0 where the mean is 0. */
double stats__percent(double deviation, double mean);

#endif
