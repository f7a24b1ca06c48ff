/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out what the kernel refuses in an attempt to open an event: changes one thing after
 * another, to find the changes with which the kernel accepts it. This needs neither privileges nor
 * BPF. It also finds checks that are not in a separate function of the kernel.
 */
#ifndef PSTAT_COUNT_WHY_SEARCH_H
#define PSTAT_COUNT_WHY_SEARCH_H

#include "util/count/why/why-changes.h"
#include "util/count/why/why-trial.h"

struct pmu;

/* One change, or two changes that only help together, as indexes in the list of changes. */
struct why_fix {
	int first, second; /* second is -1 if there is only one change */
};

#define WHY_FIXES_MAX 8

/* If no change helps: what the kernel accepts at the same place. */
enum why_scope {
	WHY_CHANGES,	/* a change helps: see the fixes */
	WHY_THIS_EVENT, /* other events of the PMU can be opened */
	WHY_THIS_PMU,	/* no event of the PMU can be opened, but software events can */
	/* no event can be opened at this place, but an event for pstat itself can */
	WHY_THIS_PLACE,
	WHY_EVERYTHING,	   /* perf_event_open(2) always fails */
	WHY_NOT_REFUSED,   /* the event can be opened */
	WHY_NO_CPU,	   /* not tried: the event's PMU has none of the CPUs of -C */
	WHY_TOO_MANY_OPEN, /* EMFILE or ENFILE: no attempt is possible */
};

struct why_answer {
	int err; /* 0, or the negative errno of the attempt */
	enum why_scope scope;
	struct why_changes changes;
	int nr_fixes;
	struct why_fix fixes[WHY_FIXES_MAX];
	int nr_tries; /* number of calls to perf_event_open(2) */
};

/*
 * Fills @answer, which the caller frees. See why_changes__list() for @pmu and @cpu. Returns 0 or
 * -ENOMEM. A refusal is not an error.
 */
int why_search(const struct why_trial *trial, struct pmu *pmu, int cpu, struct why_answer *answer);
void why_answer__free(struct why_answer *answer);

#endif
