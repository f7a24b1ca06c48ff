/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits how many mapped files pstat records, and how many of them it keeps open, because any user
 * can map any number of files as code. There are limits for each process, and limits for all
 * processes together. pstat warns only once about too many files, once about too many open files,
 * and once about too many address ranges (process-maps.h). Each warning names the process for which
 * a limit was exceeded first.
 */
#ifndef PSTAT_MACHINE_MAPPED_BOUNDS_H
#define PSTAT_MACHINE_MAPPED_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mapped_bounds;

/* Returns NULL if memory ran out. */
struct mapped_bounds *mapped_bounds__new(void);
void mapped_bounds__free(struct mapped_bounds *bounds);

/*
 * Reserves room for one more file that process @pid has mapped and whose path is @len bytes long.
 * Returns whether there is room.
 */
bool mapped_bounds__may_add(struct mapped_bounds *bounds, pid_t pid, size_t len);
/*
 * Reserves room for one more file that process @pid has mapped, and that pstat keeps open. Returns
 * whether there is room.
 */
bool mapped_bounds__may_keep(struct mapped_bounds *bounds, pid_t pid);
/* Warns that struct process_maps has no room for a mapping of the process @pid. */
void mapped_bounds__too_many_ranges(struct mapped_bounds *bounds, pid_t pid);

#endif
