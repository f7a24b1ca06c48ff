/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on each event of a comparison. A larger count is worse.
 *
 * The ratio is that of the medians, new to old, and the tolerance is the largest distance from 1
 * that is accepted:
 *
 *	                1 - tolerance      1      1 + tolerance
 *	better        [--]    │            │            │
 *	within                │     [------------]      │
 *	worse                 │            │            │    [-----]
 *	cannot tell           │            │         [-----]
 *
 * [---] is the interval that contains the true ratio with 95 % confidence (bootstrap.h). If several
 * events are compared, one of them is likely to differ by chance. Therefore, the verdicts *worse*
 * and *better* are corrected by Holm's method, so that the probability that any of these verdicts
 * is wrong is at most 5 %.
 *
 * If the values of neither side vary, which is common for counts of instructions, the values are
 * compared directly.
 */
#ifndef PSTAT_REPORT_COMPARE_VERDICT_H
#define PSTAT_REPORT_COMPARE_VERDICT_H

#include <stdint.h>

#include "util/report/compare/bootstrap.h"

enum verdict {
	VERDICT_CANNOT_TELL,
	VERDICT_WITHIN,
	VERDICT_BETTER,
	VERDICT_WORSE,
};

/* Reasons why an event has no verdict. */
enum verdict_gap {
	GAP_NONE,
	GAP_OLD_MISSING, /* the old runs have no count, or do not have this event */
	GAP_NEW_MISSING,
	GAP_NEGATIVE, /* values below 0, for example temperatures, have no useful ratio */
	GAP_FEW,      /* too few runs that vary, or a single run */
};

/* With 5 runs that vary, the true median is outside of all runs in 6 % of all cases. */
#define VERDICT_MIN_RUNS 6

/*
 * The maximum number of additional runs that a verdict recommends. A larger number would take too
 * long.
 */
#define VERDICT_MANY_RUNS 100000

struct comparison {
	/* set by the caller */
	struct sample old, new; /* nr 0: there is no count */
	double tolerance;	/* 0.01 is 1 % */

	/* set by verdicts__find() */
	enum verdict verdict;
	enum verdict_gap gap;
	double old_median, new_median;
	double ratio;	  /* INFINITY if only the old median is 0, 1 if both are */
	double low, high; /* the interval of the ratio; if no value varies, both are the ratio */
	/* for *cannot tell*: about how many more runs each side needs; 0: not known */
	int more_runs;
};

/*
 * Fills in the results of @nr comparisons. The bootstrap of the first one begins with @seed.
 * Returns 0 or -ENOMEM.
 */
int verdicts__find(struct comparison *comparisons, int nr, uint64_t seed, int rounds);

#endif
