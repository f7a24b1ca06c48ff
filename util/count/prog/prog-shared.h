/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the maps that the programs of all targets share. */
#ifndef PSTAT_COUNT_PROG_SHARED_H
#define PSTAT_COUNT_PROG_SHARED_H

#include <stdbool.h>
#include <stdint.h>

struct backend_group;
struct cpumap;
struct prog_fds;
struct prog_shape;
struct stat_config;

/*
 * The maps of @shape, filled: the perf events of @fds by CPU id, the CPUs on which runs do not
 * count, the tasks and control groups in which they do. The events are placed by now.
 */
int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group,
			   const struct prog_fds *fds, const struct cpumap *possible,
			   const struct stat_config *cfg);

/*
 * Puts the events of the CPU with the index @cpu into the map. If the CPU is not @online, puts
 * events of another CPU there. The kernel does not let a program read those, so runs are reported
 * as not counted if the CPU comes online before its events are open.
 */
int prog_shared__put_events(const struct prog_shape *shape, const struct backend_group *group,
			    const struct prog_fds *fds, int cpu, bool online);

/*
 * Adds the lost runs of all CPUs to @lost[PROG_NR_LOST], by cause. Adds nothing if the map cannot
 * be read.
 */
void prog_shared__add_lost(const struct prog_shape *shape, const struct cpumap *possible,
			   uint64_t *lost);

#endif
