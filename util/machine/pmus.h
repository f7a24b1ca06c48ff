/* SPDX-License-Identifier: GPL-2.0-only */
/* All PMUs of a machine. */
#ifndef PSTAT_MACHINE_PMUS_H
#define PSTAT_MACHINE_PMUS_H

#include <stdbool.h>
#include <stdint.h>

/* On hybrid machines, a generic event's config has a core PMU's type above this bit (Linux 5.13). */
#define PMU_TYPE_SHIFT 32
#define PMU_CONFIG_MASK ((1ULL << PMU_TYPE_SHIFT) - 1)

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
/*
 * Does the kernel accept a core PMU's type in a generic event's config? x86 kernels do since they
 * support hybrid CPUs, arm64 kernels since Linux 6.6. False if there is only one core PMU. The
 * first call opens events to find out. True for a tree other than the host's, whose kernel is not
 * known.
 */
bool pmus__take_types(const struct pmus *pmus);
/* By its name or its second name; NULL when there is none. */
struct pmu *pmus__find(struct pmus *pmus, const char *name);
/* Finds a PMU by its type; NULL if there is none. Searches core PMUs first. */
struct pmu *pmus__find_type(struct pmus *pmus, uint32_t type);
/*
 * Finds a PMU by its name, with or without the prefix "uncore_" or "cpu_"; NULL if there is none.
 */
struct pmu *pmus__find_filter(struct pmus *pmus, const char *name);

#endif
