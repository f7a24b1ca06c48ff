/* SPDX-License-Identifier: GPL-2.0-only */
/* All PMUs of a machine. */
#ifndef PSTAT_MACHINE_PMUS_H
#define PSTAT_MACHINE_PMUS_H

struct pmu;
struct pmus;
struct sysroots;

/*
 * Lists /sys/bus/event_source/devices; a machine without it, or without a core PMU there, gets a placeholder "cpu". @roots must live as
 * long. NULL without memory.
 */
struct pmus *pmus__new(const struct sysroots *roots);
void pmus__free(struct pmus *pmus);

/* Core PMUs first, then the others; within these by name, numbers at the end by value. NULL after the last. */
struct pmu *pmus__get(struct pmus *pmus, int i);
/* How many of them, from the first, are core PMUs: more than one on a hybrid machine. At least 1. */
int pmus__nr_core(const struct pmus *pmus);
/* By its name or its second name; NULL when there is none. */
struct pmu *pmus__find(struct pmus *pmus, const char *name);

#endif
