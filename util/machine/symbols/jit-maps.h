/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds functions that processes have compiled at run time. /tmp/perf-PID.map lists them
 * (perf-map.h). Like perf, pstat opens the file in the mount namespace of the process. PID is the
 * id of the process in its own PID namespace. Any user can create files in /tmp, so pstat uses the
 * file only if it belongs to the user of the process and is not older than the process.
 */
#ifndef PSTAT_MACHINE_JIT_MAPS_H
#define PSTAT_MACHINE_JIT_MAPS_H

#include <stdint.h>
#include <sys/types.h>

struct jit_maps;
struct memory_shares;
struct sysroots;

/*
 * The memory for functions is taken from the share that the owner of /tmp/perf-PID.map has in
 * @shares (memory-shares.h). Both arguments must outlive the returned struct. Returns NULL if
 * memory ran out.
 */
struct jit_maps *jit_maps__new(const struct sysroots *roots, struct memory_shares *shares);
void jit_maps__free(struct jit_maps *maps);

/*
 * Records that @pid has code that is not in a file. Call this while the process exists, because its
 * user and namespaces cannot be read later. If the process has ended, pstat assumes that it had the
 * same user and namespaces as pstat. Returns 0 or -ENOMEM.
 */
int jit_maps__note(struct jit_maps *maps, pid_t pid);
/*
 * Records that @parent has forked @child, so @child also has the code of @parent. Returns 0 or
 * -ENOMEM.
 */
int jit_maps__fork(struct jit_maps *maps, pid_t parent, pid_t child);
/* Records that @pid has ended. Its functions are kept until another process gets this id. */
void jit_maps__end(struct jit_maps *maps, pid_t pid);

/*
 * Returns the name of the function at @address, or NULL if it is unknown. Sets *@file to the path
 * of the file that lists the function. This is the file of @pid, or of a process from which @pid
 * has inherited code. The path is in the mount namespace of that process. Both texts are valid
 * until the next search or until @maps is freed.
 */
const char *jit_maps__find(struct jit_maps *maps, pid_t pid, uint64_t address, const char **file);

#endif
