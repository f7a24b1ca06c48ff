/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much processes use graphics devices (Documentation/gpu/drm-usage-stats.rst). The file
 * /proc/PID/fdinfo/FD of an open DRM device has lines such as
 *
 *	drm-driver:	i915
 *	drm-engine-render:	9288864723 ns
 *	drm-total-system0:	125 MiB
 *
 * Since Linux 6.17, perf stat shows each driver as a PMU (drm_i915), and each key with a figure as
 * an event of that PMU. If a process has a device open several times, it is counted once.
 */
#ifndef PSTAT_MACHINE_DRM_CLIENTS_H
#define PSTAT_MACHINE_DRM_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

/* A key of some driver. `unit` and `what` are constants. */
struct drm_event {
	char pmu[64];	  /* "drm_i915" */
	char name[64];	  /* "drm-engine-render" */
	const char *unit; /* "ns", "bytes", "cycles", "hz" or "capacity" */
	const char *what; /* "Utilization in ns" */
};

/* Returns true if the name begins like a key that has a figure. Does not read files. */
bool drm_clients__is_event_name(const char *name);

/*
 * Calls @each for each key of each driver that a process uses at the moment, once per driver and
 * key, and stops at the first result that is not 0. Returns that result, 0 at the end, or
 * -ENOMEM.
 */
typedef int (*drm_fn)(const struct drm_event *event, void *arg);
int drm_clients__for_each(const struct sysroots *roots, drm_fn each, void *arg);

/* Finds the event @name of the PMU @pmu; NULL means any PMU. Returns 0, -ENOENT or -ENOMEM. */
int drm_clients__find(const struct sysroots *roots, const char *pmu, const char *name, struct drm_event *event);

/* Returns true if a process currently uses the driver that is the PMU @pmu. */
bool drm_clients__has_pmu(const struct sysroots *roots, const char *pmu);

/*
 * Adds up the figures of @event over the process @pid, or over all processes if @pid is -1. Sizes
 * are in bytes, frequencies in Hz. Processes whose files this user may not read are left out.
 * Returns 0 or -errno.
 */
int drm_clients__sum(const struct sysroots *roots, const struct drm_event *event, pid_t pid, uint64_t *sum);

#endif
