// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/compare/verdict.h"
#include "util/base/number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double WRONG = 0.05; /* accepted probability of a wrong verdict */

/* The evidence that an event differs by more than its tolerance. */
struct evidence {
	struct comparison *comparison;
	enum verdict verdict; /* the verdict if the evidence is strong enough */
	/* p-value: how likely such evidence would be if the true ratio were within tolerance */
	double p;
};

static double ratio_of(double old, double new)
{
	if (old > 0)
		return new / old;
	return new > 0 ? INFINITY : 1;
}

/* Finds the medians of both samples. Returns false if memory ran out. */
static bool find_medians(struct comparison *c)
{
	if (c->old.nr)
		c->old_median = sample__median(&c->old);
	if (c->new.nr)
		c->new_median = sample__median(&c->new);
	if (c->old.nr && c->new.nr)
		c->ratio = c->low = c->high = ratio_of(c->old_median, c->new_median);
	return !isnan(c->old_median) && !isnan(c->new_median);
}

static int fewer(const struct comparison *c)
{
	return c->old.nr < c->new.nr ? c->old.nr : c->new.nr;
}

static bool varies(const struct comparison *c)
{
	return !sample__is_constant(&c->old) || !sample__is_constant(&c->new);
}

static bool has_negatives(const struct sample *sample)
{
	for (int i = 0; i < sample->nr; i++)
		if (sample->values[i] < 0)
			return true;
	return false;
}

static enum verdict_gap find_gap(const struct comparison *c)
{
	if (!c->old.nr)
		return GAP_OLD_MISSING;
	if (!c->new.nr)
		return GAP_NEW_MISSING;
	if (has_negatives(&c->old) || has_negatives(&c->new))
		return GAP_NEGATIVE;
	/* a single run does not show whether the values vary */
	return fewer(c) < (varies(c) ? VERDICT_MIN_RUNS : 2) ? GAP_FEW : GAP_NONE;
}

static enum verdict verdict_of(double low, double high, double tolerance)
{
	if (low > 1 + tolerance)
		return VERDICT_WORSE;
	if (high < 1 - tolerance)
		return VERDICT_BETTER;
	if (low >= 1 - tolerance && high <= 1 + tolerance)
		return VERDICT_WITHIN;
	return VERDICT_CANNOT_TELL;
}

/*
 * Returns the number of additional runs that each side (old and new) probably needs for a verdict.
 * Assumes that the width of the confidence interval is proportional to 1 / √runs.
 */
static int more_runs(const struct comparison *c)
{
	double half = (c->high - c->low) / 2, off = fabs(c->ratio - 1);
	double room = fabs(off - c->tolerance), nr = fewer(c), needed;

	if (c->gap == GAP_NEGATIVE)
		return 0;
	if (c->gap == GAP_FEW)
		return (varies(c) ? VERDICT_MIN_RUNS : 2) - fewer(c);
	if (!isfinite(half) || room <= 0)
		return 0;
	needed = ceil(nr * (half / room) * (half / room)) - nr;
	if (needed < 1)
		return 1;
	return needed > VERDICT_MANY_RUNS ? VERDICT_MANY_RUNS : (int)needed;
}

/* Returns whether every value of @small is less than every value of @large. */
static bool is_below(const struct sample *small, const struct sample *large)
{
	double most = small->values[0], least = large->values[0];

	for (int i = 0; i < small->nr; i++)
		most = small->values[i] > most ? small->values[i] : most;
	for (int i = 0; i < large->nr; i++)
		least = large->values[i] < least ? large->values[i] : least;
	return most < least;
}

/*
 * Returns the smallest p that the numbers of old and new runs can justify: 2 / (number of ways to
 * choose the runs of one side from all runs). If the sides did not really differ, this would be the
 * probability that all values of one side are larger than all values of the other side. The
 * bootstrap can return a smaller p: if all values of one side are far above those of the other
 * side, every draw shows a difference, even with few runs.
 */
static double least_probability(const struct comparison *c)
{
	double ways = 1;

	for (int i = 1; i <= c->old.nr && ways < 1e12; i++)
		ways = ways * (c->new.nr + i) / i;
	return 2 / ways;
}

/*
 * Finds the confidence interval and the verdict of a single comparison. correct() later applies
 * Holm's method to the verdicts that come from the bootstrap. Returns 0 or -ENOMEM.
 */
static int weigh(struct comparison *c, uint64_t seed, int rounds, struct evidence *evidence)
{
	struct bootstrap b;
	double worse, better;
	int err;

	c->gap = find_gap(c);
	*evidence = (struct evidence){ .comparison = c, .p = 1 };
	if (c->gap)
		return 0;
	if (!varies(c) || !(c->old_median > 0)) {
		c->verdict = verdict_of(c->low, c->high, c->tolerance);
		/*
		 * The old median of a rare event can be 0. If only this median is 0, the ratio is
		 * INFINITY, and the verdict is *worse* only if all new values are larger than all
		 * old values.
		 */
		if (varies(c) && c->verdict != VERDICT_WITHIN && !is_below(&c->old, &c->new))
			c->verdict = VERDICT_CANNOT_TELL;
		return 0;
	}
	err = bootstrap__draw(&b, &c->old, &c->new, seed, rounds);
	if (err)
		return err;
	c->low = bootstrap__quantile(&b, WRONG / 2);
	c->high = bootstrap__quantile(&b, 1 - WRONG / 2);
	c->verdict = verdict_of(c->low, c->high, c->tolerance);
	worse = bootstrap__probability(&b, 1 + c->tolerance, false);
	better = bootstrap__probability(&b, 1 - c->tolerance, true);
	evidence->verdict = worse < better ? VERDICT_WORSE : VERDICT_BETTER;
	evidence->p = number__min(1, 2 * number__min(worse, better));
	if (evidence->p < least_probability(c))
		evidence->p = least_probability(c);
	bootstrap__free(&b);
	return 0;
}

static int compare_evidence(const void *a, const void *b)
{
	double x = ((const struct evidence *)a)->p, y = ((const struct evidence *)b)->p;

	return (x > y) - (x < y);
}

/*
 * Applies Holm's method: the smallest of the @nr probabilities must be at most 5 % / nr, the second
 * smallest at most 5 % / (nr - 1), and so on. The comparisons whose probabilities come before the
 * first one that is too large get the verdicts of their evidence. In the others, *worse* and
 * *better* become *cannot tell*.
 */
static void correct(struct evidence *evidence, int nr)
{
	bool holds = true;

	qsort(evidence, (size_t)nr, sizeof(*evidence), compare_evidence);
	for (int i = 0; i < nr; i++) {
		struct comparison *c = evidence[i].comparison;

		holds = holds && evidence[i].p <= WRONG / (nr - i);
		if (holds)
			c->verdict = evidence[i].verdict;
		else if (c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER)
			c->verdict = VERDICT_CANNOT_TELL;
	}
}

int verdicts__find(struct comparison *comparisons, int nr, uint64_t seed, int rounds)
{
	struct evidence *evidence = calloc((size_t)nr ?: 1, sizeof(*evidence));
	int err = evidence ? 0 : -ENOMEM, uncertain = 0;

	for (int i = 0; !err && i < nr; i++) {
		struct comparison *c = &comparisons[i];

		if (!find_medians(c))
			err = -ENOMEM;
		err = err ?: weigh(c, seed + (uint64_t)i, rounds, &evidence[uncertain]);
		/*
		 * A verdict that weigh() found without the bootstrap needs no correction, so this
		 * entry of `evidence` is used again for the next comparison.
		 */
		uncertain += !err && !c->gap && evidence[uncertain].verdict;
	}
	if (!err)
		correct(evidence, uncertain);
	for (int i = 0; !err && i < nr; i++)
		if (comparisons[i].verdict == VERDICT_CANNOT_TELL)
			comparisons[i].more_runs = more_runs(&comparisons[i]);
	free(evidence);
	return err;
}
