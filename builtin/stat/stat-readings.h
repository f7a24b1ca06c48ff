/* SPDX-License-Identifier: GPL-2.0-only */
/* -v: what was read, before anything was made of it, in the lines that perf stat -v has for it. */
#ifndef PSTAT_BUILTIN_STAT_READINGS_H
#define PSTAT_BUILTIN_STAT_READINGS_H

#include <stdbool.h>

struct counts_set;

/*
 * To stderr, with -v: "EVENT: VALUE ENABLED RUNNING" of each event that is open, unscaled, times in ns, all CPUs and threads together; with
 * -vv before it "EVENT: CPU: VALUE ENABLED RUNNING" of each place it is open at, CPU -1 where it follows a task. @interval: since the last one.
 */
void stat_readings__tell(const struct counts_set *set, bool interval);

#endif
