/* SPDX-License-Identifier: GPL-2.0-only */
/* All PMUs of a machine. */
#ifndef PSTAT_MACHINE_PMUS_H
#define PSTAT_MACHINE_PMUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Hybrid machines have several kinds of CPU core, with a core PMU for each kind. Since Linux 5.13
 * (on arm64: 6.6), the config of a generic event (PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE) on such
 * a machine can contain the type of a core PMU, shifted left by PMU_TYPE_SHIFT bits.
 * PMU_CONFIG_MASK selects the bits below the type.
 */
#define PMU_TYPE_SHIFT 32
#define PMU_CONFIG_MASK ((1ULL << PMU_TYPE_SHIFT) - 1)

struct pmu;
struct pmus;
struct sysroots;

/*
 * Reads the list of PMUs in /sys/bus/event_source/devices. If there is no core PMU, adds a
 * placeholder "cpu". @roots must outlive the result. Returns NULL if memory ran out.
 */
struct pmus *pmus__new(const struct sysroots *roots);
void pmus__free(struct pmus *pmus);

/*
 * Returns PMU @i, or NULL after the last PMU. Core PMUs come first, sorted by name, followed by the
 * other PMUs, also sorted by name. Numbers at the end of names are compared as numbers.
 */
struct pmu *pmus__get(struct pmus *pmus, int i);
/*
 * Returns the number of core PMUs. There is at least one core PMU. On a hybrid machine, there are
 * several.
 */
int pmus__nr_core(const struct pmus *pmus);
/*
 * Returns whether the kernel accepts a core PMU's type in a generic event's config. All x86 kernels
 * that support hybrid CPUs accept the type. arm64 kernels have accepted the type since Linux 6.6.
 * Returns false if there is only one core PMU. Otherwise, if @pmus was not read from the host's
 * sysfs, assumes that the kernel accepts the type, and returns true. The first call that has to ask
 * the host's kernel opens events to find out.
 */
bool pmus__take_types(const struct pmus *pmus);
/*
 * Finds a PMU by its name, or by its second name (the file "alias" of the PMU in sysfs). Returns
 * NULL if there is no such PMU.
 */
struct pmu *pmus__find(struct pmus *pmus, const char *name);
/* Finds a PMU by its type. Searches core PMUs first. Returns NULL if there is no such PMU. */
struct pmu *pmus__find_type(struct pmus *pmus, uint32_t type);
/*
 * Finds a PMU by its name. @name may omit the prefix "uncore_" or "cpu_". Returns NULL if there is
 * no such PMU.
 */
struct pmu *pmus__find_filter(struct pmus *pmus, const char *name);

#endif
