/* SPDX-License-Identifier: GPL-2.0-only */
/* Which control groups have rows, with --cgroup-follow: else all that there are. */
#ifndef PSTAT_BUILTIN_STAT_CGROUP_ROWS_H
#define PSTAT_BUILTIN_STAT_CGROUP_ROWS_H

#include <stdbool.h>

struct stat_options;

/*
 * The names of the rows to come (options.cgroup_names) are those of the groups that live, and of those that have gone, in an interval
 * since the last.
 */
void stat_cgroup_rows__name(const struct stat_options *options, bool interval);
/* Behind the rows of an interval: those that have gone were shown. */
void stat_cgroup_rows__told(const struct stat_options *options);

#endif
