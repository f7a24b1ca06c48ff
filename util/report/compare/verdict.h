/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on each event of a comparison of old and new runs. Here, a run is a repetition (-r)
 * or an interval (-I), not a run of a BPF program or scope. A larger count is worse.
 *
 * The ratio is the new median divided by the old median. The tolerance is the largest accepted
 * distance of the ratio from 1. Examples:
 *
 *	                1 - tolerance      1      1 + tolerance
 *	better        [--]    │            │            │
 *	within                │     [------------]      │
 *	worse                 │            │            │    [-----]
 *	cannot tell           │            │         [-----]
 *
 * [---] is the interval that contains the true ratio with 95 % confidence (bootstrap.h). If many
 * events are compared, some events are likely to differ by chance. Therefore, Holm's method
 * corrects the verdicts *worse* and *better*: the probability that any of them is wrong is at most
 * 5 %.
 *
 * If neither the old nor the new values vary, which is common for counts of instructions, pstat
 * compares the values directly.
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

/* Reasons why pstat cannot compare the old and the new counts of an event. */
enum verdict_gap {
	GAP_NONE,
	GAP_OLD_MISSING, /* the old runs did not count this event */
	GAP_NEW_MISSING,
	GAP_NEGATIVE, /* values below 0, for example temperatures, have no useful ratio */
	/*
	 * too few runs on one side (old or new): fewer than VERDICT_MIN_RUNS if values vary,
	 * otherwise only one
	 */
	GAP_FEW,
};

/*
 * With 5 runs whose values vary, the true median is outside the range of these values in 6 % of
 * cases, which is more than the 5 % that a verdict accepts.
 */
#define VERDICT_MIN_RUNS 6

/* the maximum number of additional runs that a verdict recommends */
#define VERDICT_MANY_RUNS 100000

struct comparison {
	/* set by the caller */
	struct sample old, new; /* `nr` is 0 if there is no count */
	double tolerance;	/* 0.01 means 1 % */

	/* set by verdicts__find() */
	enum verdict verdict;
	enum verdict_gap gap;
	double old_median, new_median;
	double ratio; /* INFINITY if only the old median is 0; 1 if both medians are 0 */
	/* the confidence interval; without the bootstrap, both bounds are equal to `ratio` */
	double low, high;
	/*
	 * for VERDICT_CANNOT_TELL: the estimated number of additional runs that each side (old and
	 * new) needs for a verdict; 0: unknown
	 */
	int more_runs;
};

/*
 * Fills in the results of the @nr comparisons. The bootstrap of comparison i has the seed @seed + i
 * and @rounds rounds (see bootstrap.h). Returns 0 or -ENOMEM.
 */
int verdicts__find(struct comparison *comparisons, int nr, uint64_t seed, int rounds);

#endif
