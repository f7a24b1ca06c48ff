/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the cost that -b itself adds to the counts of a run, on programs of pstat that do
 * nothing.
 */
#ifndef PSTAT_COUNT_PROG_CALIBRATE_H
#define PSTAT_COUNT_PROG_CALIBRATE_H

struct backend_group;
struct cpumap;
struct prog_fds;
struct prog_shape;

/*
 * Sets @shape->costs. The events of @shape are placed, its maps are made, and nothing is attached
 * yet. Returns 0, or -errno after a warning with the reason if the cost could not be measured; the
 * costs are then 0.
 */
int prog_calibrate(struct prog_shape *shape, const struct backend_group *group,
		   const struct prog_fds *fds, const struct cpumap *possible);

#endif
