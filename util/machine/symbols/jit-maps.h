/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that processes have compiled into memory themselves, from /tmp/perf-PID.map
 * (perf-map.h). As perf does, pstat looks for the file in the mount namespace of the process, under
 * the id that the process has in its own PID namespace. The file must belong to the user of the
 * process, because anybody can create files in /tmp, and must not be older than the process.
 */
#ifndef PSTAT_MACHINE_JIT_MAPS_H
#define PSTAT_MACHINE_JIT_MAPS_H

#include <stdint.h>
#include <sys/types.h>

struct jit_maps;
struct memory_shares;
struct sysroots;

/*
 * Memory for functions comes from @shares. Both must outlive the maps. Returns NULL without memory.
 */
struct jit_maps *jit_maps__new(const struct sysroots *roots, struct memory_shares *shares);
void jit_maps__free(struct jit_maps *maps);

/*
 * Notes that @pid has code that is in no file. Call it while the process exists, because its user
 * and its namespaces are unknown later. They are then assumed to be the same as pstat's. Returns 0
 * or -ENOMEM.
 */
int jit_maps__note(struct jit_maps *maps, pid_t pid);
/* Notes that @child has the code of @parent, which has forked it. Returns 0 or -ENOMEM. */
int jit_maps__fork(struct jit_maps *maps, pid_t parent, pid_t child);
/* Notes that @pid has ended. Its functions stay known until another process has this id. */
void jit_maps__end(struct jit_maps *maps, pid_t pid);

/*
 * Finds the function at @address. Sets *@file to the path of the map, as the process sees it.
 * Returns NULL if the function is unknown. Both texts are valid until the maps are freed or the
 * next search.
 */
const char *jit_maps__find(struct jit_maps *maps, pid_t pid, uint64_t address, const char **file);

#endif
