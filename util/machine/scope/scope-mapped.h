/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the file that a process has mapped under a name. */
#ifndef PSTAT_MACHINE_SCOPE_MAPPED_H
#define PSTAT_MACHINE_SCOPE_MAPPED_H

#include <stddef.h>

struct scope_env;

/*
 * Searches the mappings of @env->pid for the library @name (scope-library.h). If @name is a path,
 * searches for a file at this path that was deleted or replaced after it was mapped. Sets @path to
 * a path through which the mapped file can be opened: /proc/PID/map_files/…. Returns 0, -ENOENT, or
 * another -errno.
 */
int scope_mapped__find(const struct scope_env *env, const char *name, char *path, size_t size);

#endif
