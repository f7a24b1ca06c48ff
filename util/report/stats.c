// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/stats.h"

#include <math.h>

void stats__add(struct stats *stats, double value)
{
	double distance = value - stats->mean;

	stats->min = stats->n && stats->min < value ? stats->min : value;
	stats->max = stats->n && stats->max > value ? stats->max : value;
	stats->n++;
	stats->mean += distance / (double)stats->n;
	stats->m2 += distance * (value - stats->mean);
}

double stats__deviation(const struct stats *stats)
{
	if (stats->n < 2)
		return 0.0;
	return sqrt(stats->m2 / (double)(stats->n - 1) / (double)stats->n);
}

double stats__percent(double deviation, double mean)
{
	return mean != 0.0 ? 100.0 * deviation / mean : 0.0;
}
