/* SPDX-License-Identifier: GPL-2.0-only */
/* What the counting of -b itself adds to the counts of a run, measured on programs of pstat's own that do nothing. */
#ifndef PSTAT_COUNT_PROG_CALIBRATE_H
#define PSTAT_COUNT_PROG_CALIBRATE_H

struct backend_group;
struct cpumap;
struct prog_fds;
struct prog_shape;

/*
 * Sets @shape->costs, whose events are placed and whose maps are made; nothing else is attached yet. 0, or -errno when it could not be
 * measured: the costs are 0 then, and a warning has told why.
 */
int prog_calibrate(struct prog_shape *shape, const struct backend_group *group, const struct prog_fds *fds,
		   const struct cpumap *possible);

#endif
