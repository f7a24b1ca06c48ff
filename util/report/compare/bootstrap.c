// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The generator splitmix64 (Steele, Lea and Flood 2014): an addition and a mixing function. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/*
 * Returns a random number below @nr. If @nr is far below 2^32, all these numbers are almost equally
 * likely.
 */
static uint32_t random_below(uint64_t *state, uint32_t nr)
{
	return (uint32_t)(((next_random(state) >> 32) * nr) >> 32);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns a copy of the values in ascending order, or NULL if memory ran out. */
static double *sorted(const struct sample *sample)
{
	double *values = malloc(sizeof(*values) * (size_t)sample->nr);

	if (values) {
		memcpy(values, sample->values, sizeof(*values) * (size_t)sample->nr);
		qsort(values, (size_t)sample->nr, sizeof(*values), compare_doubles);
	}
	return values;
}

static double middle(const double *sorted_values, int nr)
{
	return (sorted_values[(nr - 1) / 2] + sorted_values[nr / 2]) / 2;
}

double sample__median(const struct sample *sample)
{
	double *values = sorted(sample);
	double median = values ? middle(values, sample->nr) : NAN;

	free(values);
	return median;
}

bool sample__is_constant(const struct sample *sample)
{
	for (int i = 1; i < sample->nr; i++)
		if (sample->values[i] != sample->values[0])
			return false;
	return true;
}

/*
 * Draws @nr values from the @nr sorted values, with replacement, and returns the median of the
 * draw. Counts how many times each value is drawn, which is faster than sorting the draw. @times
 * must have room for @nr numbers.
 */
static double draw_median(const double *values, int nr, int *times, uint64_t *state)
{
	int drawn = 0, low = -1, high = 0;

	memset(times, 0, sizeof(*times) * (size_t)nr);
	for (int i = 0; i < nr; i++)
		times[random_below(state, (uint32_t)nr)]++;
	for (;; high++) {
		drawn += times[high];
		if (low < 0 && drawn > (nr - 1) / 2)
			low = high;
		if (drawn > nr / 2)
			break;
	}
	return (values[low] + values[high]) / 2;
}

int bootstrap__draw(struct bootstrap *b, const struct sample *old, const struct sample *new,
		    uint64_t seed, int rounds)
{
	double *olds = sorted(old), *news = sorted(new);
	int *times = malloc(sizeof(*times) * (size_t)(old->nr > new->nr ? old->nr : new->nr));
	uint64_t state = seed;

	*b = (struct bootstrap){ .ratios = malloc(sizeof(*b->ratios) * (size_t)rounds),
				 .rounds = rounds };
	for (int i = 0; olds && news && times && b->ratios && i < rounds; i++) {
		double was = draw_median(olds, old->nr, times, &state);
		double is = draw_median(news, new->nr, times, &state);

		/* the median of a draw can be 0, even if the median of all values is not 0 */
		b->ratios[i] = was > 0 ? is / was : is > 0 ? INFINITY : 1;
	}
	if (!olds || !news || !times)
		bootstrap__free(b);
	free(olds);
	free(news);
	free(times);
	if (!b->ratios)
		return -ENOMEM;
	qsort(b->ratios, (size_t)rounds, sizeof(*b->ratios), compare_doubles);
	return 0;
}

void bootstrap__free(struct bootstrap *b)
{
	free(b->ratios);
	b->ratios = NULL;
}

double bootstrap__quantile(const struct bootstrap *b, double share)
{
	/* lround() would need libm. Loading libm would add 5 % to pstat's startup time. */
	return b->ratios[(int)(share * (b->rounds - 1) + 0.5)];
}

double bootstrap__probability(const struct bootstrap *b, double limit, bool above)
{
	int nr = 0;

	for (int i = 0; i < b->rounds; i++)
		nr += above ? b->ratios[i] >= limit : b->ratios[i] <= limit;
	return (nr + 1.0) / (b->rounds + 1.0);
}
