/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds what the kernel refuses in an attempt to open an event, by changing one thing at a time
 * until the kernel accepts it. This needs neither privileges nor BPF, and it finds checks that are
 * not in a function of their own.
 */
#ifndef PSTAT_COUNT_WHY_SEARCH_H
#define PSTAT_COUNT_WHY_SEARCH_H

#include "util/count/why/why-changes.h"
#include "util/count/why/why-trial.h"

struct pmu;

/* One change, or two changes that help only together, as indexes in the list of changes. */
struct why_fix {
	int first, second; /* second is -1 if there is only one */
};

#define WHY_FIXES_MAX 8

/* What the kernel accepts at the same place, if no change helps. */
enum why_scope {
	WHY_CHANGES,	   /* a change helps: see the fixes */
	WHY_THIS_EVENT,	   /* other events of the PMU open */
	WHY_THIS_PMU,	   /* no event of the PMU opens, but software events do */
	WHY_THIS_PLACE,	   /* no event opens at this place, but one opens for pstat itself */
	WHY_EVERYTHING,	   /* perf_event_open(2) fails altogether */
	WHY_NOT_REFUSED,   /* the event opens */
	WHY_TOO_MANY_OPEN, /* EMFILE or ENFILE: nothing can be tried */
};

struct why_answer {
	int err; /* 0, or the negative errno of the attempt */
	enum why_scope scope;
	struct why_changes changes;
	int nr_fixes;
	struct why_fix fixes[WHY_FIXES_MAX];
	int nr_tries; /* calls of perf_event_open(2) */
};

/*
 * Fills @answer, to be freed. @pmu and @cpu: see why_changes__list(). Returns 0 or -ENOMEM; a
 * refusal is not an error.
 */
int why_search(const struct why_trial *trial, struct pmu *pmu, int cpu, struct why_answer *answer);
void why_answer__free(struct why_answer *answer);

#endif
