/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the file that a process has mapped under a name. */
#ifndef PSTAT_MACHINE_SCOPE_MAPPED_H
#define PSTAT_MACHINE_SCOPE_MAPPED_H

#include <stddef.h>

struct scope_env;

/*
 * Looks in the mappings of @env->pid for a library that is called @name (scope-library.h), or, if
 * @name is a path, for a file of this path that has been deleted or replaced since it was mapped.
 * Sets @path to a path that leads to the mapped file: /proc/PID/map_files/…. Returns 0, -ENOENT, or
 * another -errno.
 */
int scope_mapped__find(const struct scope_env *env, const char *name, char *path, size_t size);

#endif
