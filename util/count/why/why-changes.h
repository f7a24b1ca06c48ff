/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small changes to an attempt to open an event. pstat applies one of them, or two together, to an
 * attempt that the kernel has refused. If the kernel accepts the changed attempt, the change shows
 * the reason for the refusal.
 */
#ifndef PSTAT_COUNT_WHY_CHANGES_H
#define PSTAT_COUNT_WHY_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

struct pmu;
struct why_change;
struct why_trial;

/* The part of an attempt that a change affects. */
enum why_part {
	WHY_ATTR,   /* a flag or field of the attr */
	WHY_EVENT,  /* the encoding of the event */
	WHY_TARGET, /* the task, CPU, cgroup or group */
};

struct why_change {
	enum why_part part;
	char *name;  /* a field, such as "pinned", or a term of a PMU, such as "cpu/umask" */
	char *words; /* completes the sentence "it opens …" */
	/* Applies the change to @trial. Returns whether this changed @trial. */
	bool (*apply)(struct why_trial *trial, const struct why_change *change);
	/*
	 * for apply(): the bits of a term, or of all terms of the PMU, in config, config1, config2
	 * and config3
	 */
	uint64_t bits[4];
	int number; /* for apply(): a CPU */
};

/* A list of changes, the most useful changes first. A zeroed struct is empty. */
struct why_changes {
	int nr;
	struct why_change *list;
};

/*
 * Lists all changes that affect @trial. @pmu is the PMU whose terms the event sets, or NULL.
 * Changes that move the event to another CPU, or from a task to a CPU, use @cpu, which should
 * differ from the CPU of @trial. Returns 0 or -ENOMEM.
 */
int why_changes__list(struct why_changes *changes, const struct why_trial *trial, struct pmu *pmu,
		      int cpu);
void why_changes__free(struct why_changes *changes);

#endif
