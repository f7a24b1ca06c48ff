/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a file by name among the files that a process has mapped. */
#ifndef PSTAT_MACHINE_SCOPE_MAPPED_H
#define PSTAT_MACHINE_SCOPE_MAPPED_H

#include <stddef.h>

struct scope_env;

/*
 * Searches the executable mappings of the process @env->pid. If @name is the name of a library
 * (scope-library.h), finds the mapped library with this name. If @name is a path, finds a file that
 * was mapped from this path, and has since been deleted or replaced. Sets @path to a path through
 * which pstat can open the mapped file: /proc/PID/map_files/…. Returns 0, -ENOENT if there is no
 * such mapping, or another -errno.
 */
int scope_mapped__find(const struct scope_env *env, const char *name, char *path, size_t size);

#endif
