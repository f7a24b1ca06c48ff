/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many files processes may map as code before pstat stops following: any user decides how many there are. There are bounds for one process
 * and for all. The first process that exceeds one is reported.
 */
#ifndef PSTAT_MACHINE_MAPPED_BOUNDS_H
#define PSTAT_MACHINE_MAPPED_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mapped_bounds;

/* NULL without memory. */
struct mapped_bounds *mapped_bounds__new(void);
void mapped_bounds__free(struct mapped_bounds *bounds);

/* Is there room for one more file of the process, whose path has @len bytes? If so it is taken. */
bool mapped_bounds__may_add(struct mapped_bounds *bounds, pid_t pid, size_t len);
/* May one more file of the process be kept open? If so it counts. */
bool mapped_bounds__may_keep(struct mapped_bounds *bounds, pid_t pid);
/* Reports that process-maps.h has no room for a mapping of the process. */
void mapped_bounds__too_many_ranges(struct mapped_bounds *bounds, pid_t pid);

#endif
