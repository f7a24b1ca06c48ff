/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the use of graphics devices by processes (Documentation/gpu/drm-usage-stats.rst). The
 * file /proc/PID/fdinfo/FD of an open DRM device has lines such as
 *
 *	drm-driver: i915
 *	drm-engine-render: 9288864723 ns
 *	drm-total-system0: 125 MiB
 *
 * As in perf stat since Linux 6.17, each driver is a PMU (drm_i915), and each key that begins with
 * one of several prefixes, such as drm-engine- or drm-total-, is an event of that PMU. If a process
 * has opened a device several times, the device is counted only once for this process.
 */
#ifndef PSTAT_MACHINE_DRM_CLIENTS_H
#define PSTAT_MACHINE_DRM_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sysroots;

/* An event: a key that a driver reports. `unit` and `what` point to constants. */
struct drm_event {
	char pmu[64];	  /* "drm_i915" */
	char name[64];	  /* "drm-engine-render" */
	const char *unit; /* "ns", "bytes", "cycles", "hz" or "capacity" */
	const char *what; /* "Utilization in ns" */
};

/*
 * Returns whether @name begins with a prefix that makes it the name of an event (see the top of
 * this file). Does not read files.
 */
bool drm_clients__is_event_name(const char *name);

/*
 * Calls @each once for each event of each driver that any process currently uses. Stops at the
 * first result of @each that is not 0, and returns this result. Otherwise, returns 0 or -ENOMEM.
 */
typedef int (*drm_fn)(const struct drm_event *event, void *arg);
int drm_clients__for_each(const struct sysroots *roots, drm_fn each, void *arg);

/*
 * Finds the event @name (NULL: any event) of the PMU @pmu (NULL: any PMU). Returns 0, -ENOENT or
 * -ENOMEM.
 */
int drm_clients__find(const struct sysroots *roots, const char *pmu, const char *name,
		      struct drm_event *event);

/* Returns whether any process currently uses the driver whose PMU is called @pmu. */
bool drm_clients__has_pmu(const struct sysroots *roots, const char *pmu);

/*
 * Adds up the values of @event for the process @pid, or for all processes if @pid is -1. Sizes are
 * in bytes, and frequencies are in Hz. Omits processes that have ended, and processes whose files
 * this user is not allowed to read. Stores the result in *@sum and returns 0.
 */
int drm_clients__sum(const struct sysroots *roots, const struct drm_event *event, pid_t pid,
		     uint64_t *sum);

#endif
