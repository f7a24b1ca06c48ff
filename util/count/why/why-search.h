/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out why the kernel refuses an attempt to open an event. Repeats the attempt with each
 * change of why-changes.h and, if none of them helps, with each pair of changes, to find the
 * changes that make the kernel accept the event. This method needs neither privileges nor BPF.
 * Unlike why-watch.h, it also works if the compiler has inlined the function that refuses the
 * event.
 */
#ifndef PSTAT_COUNT_WHY_SEARCH_H
#define PSTAT_COUNT_WHY_SEARCH_H

#include "util/count/why/why-changes.h"
#include "util/count/why/why-trial.h"

struct pmu;

/*
 * A change that makes the kernel accept the event, or two changes that are both necessary. The
 * members are indexes into why_answer.changes.list.
 */
struct why_fix {
	int first, second; /* second is -1 if there is only one change */
};

#define WHY_FIXES_MAX 8

/* The extent of the refusal. "Place" means the task, CPU or cgroup of the attempt. */
enum why_scope {
	WHY_CHANGES, /* the kernel accepts the event with any one of `fixes` */
	/* no change helps, but another event of the PMU can be opened at this place */
	WHY_THIS_EVENT,
	/* pstat could open no event of the PMU at this place, but could open a software event */
	WHY_THIS_PMU,
	/* no software event can be opened at this place, but pstat can open one for itself */
	WHY_THIS_PLACE,
	WHY_EVERYTHING,	 /* perf_event_open(2) always fails */
	WHY_NOT_REFUSED, /* the event can be opened, or is a tool event */
	/* not tried, because the event's PMU covers none of the counted CPUs */
	WHY_NO_CPU,
	WHY_TOO_MANY_OPEN, /* EMFILE or ENFILE: no further attempt is possible */
};

struct why_answer {
	int err; /* 0, or the negative errno of the attempt */
	enum why_scope scope;
	struct why_changes changes;
	int nr_fixes;
	struct why_fix fixes[WHY_FIXES_MAX];
	int nr_tries; /* number of calls to why_trial__try() */
};

/*
 * Makes the attempt @trial and, if the kernel refuses it, finds out why. Fills in @answer, which
 * the caller must free with why_answer__free(). @pmu and @cpu have the same meaning as in
 * why_changes__list(). Returns 0 (even if the kernel refuses the event) or -ENOMEM.
 */
int why_search(const struct why_trial *trial, struct pmu *pmu, int cpu, struct why_answer *answer);
void why_answer__free(struct why_answer *answer);

#endif
