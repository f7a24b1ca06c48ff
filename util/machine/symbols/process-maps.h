/* SPDX-License-Identifier: GPL-2.0-only */
/* Records the address ranges that processes have mapped as code. */
#ifndef PSTAT_MACHINE_PROCESS_MAPS_H
#define PSTAT_MACHINE_PROCESS_MAPS_H

#include <stdint.h>
#include <sys/types.h>

#include "util/machine/symbols/map-layer.h"

struct process_maps;

/* Returns NULL if memory ran out. */
struct process_maps *process_maps__new(void);
void process_maps__free(struct process_maps *maps);

/*
 * Adds @range to the process @pid. Where the new range overlaps older ranges, it hides them.
 * Returns 0; -ENOMEM; or -E2BIG if a limit is reached (map-layer.h).
 */
int process_maps__add(struct process_maps *maps, pid_t pid, const struct mapped_range *range);
/*
 * Adds the ranges of @parent to the ranges of @child. The ranges that @child already has take
 * precedence. If there would be too many ranges, adds none. Returns 0 or -ENOMEM.
 */
int process_maps__copy(struct process_maps *maps, pid_t parent, pid_t child);
/*
 * Records that the process @pid has ended. Its ranges are kept until at least ENDED_KEPT more
 * processes have ended, or until a new process gets its id.
 */
void process_maps__end(struct process_maps *maps, pid_t pid);
#define ENDED_KEPT 16384
/*
 * Returns the range of the process @pid at @address, or NULL if none is known. The result is valid
 * until the next change of @maps.
 */
const struct mapped_range *process_maps__find(const struct process_maps *maps, pid_t pid,
					      uint64_t address);

#endif
