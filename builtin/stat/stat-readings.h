/* SPDX-License-Identifier: GPL-2.0-only */
/* -v: the values that were read, in the format of perf stat -v. */
#ifndef PSTAT_BUILTIN_STAT_READINGS_H
#define PSTAT_BUILTIN_STAT_READINGS_H

#include <stdbool.h>

struct measurement;

/*
 * Prints to stderr. With -v, prints "EVENT: VALUE ENABLED RUNNING" for each open event, with
 * unscaled values and times in ns, summed over all CPUs and threads. With -vv, prints "EVENT: CPU:
 * VALUE ENABLED RUNNING" before it for each CPU or thread; CPU is -1 if the event follows a task.
 * @interval: the difference from the last reading.
 */
void stat_readings__tell(const struct measurement *m, bool interval);

#endif
