/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prevents a jump in the enabled time of cgroup events. On each CPU, the kernel advances the clock
 * of a cgroup only while an event of the cgroup is enabled there. When an event is enabled again,
 * the clock continues from the time at which the last event was disabled, which may have been hours
 * ago. If the CPU then runs a task that has its own events, the kernel adds this time to "enabled"
 * but not to "running" (seen in Linux 6.1, 6.12 and 6.18). The count would be scaled up by a factor
 * of 100 or more. So pstat first enables an event that counts nothing, which gets this time
 * instead.
 */
#ifndef PSTAT_COUNT_CGROUP_CLOCK_H
#define PSTAT_COUNT_CGROUP_CLOCK_H

struct event_fds;

/* Returns the maximum number of files that cgroup_clock__start() opens. */
int cgroup_clock__nr_files(const struct event_fds *fds);

/*
 * Starts the clocks. Call this before enabling the events of @fds, and cgroup_clock__stop() with
 * *@clocks after that. Sets *@clocks to NULL if no event belongs to a cgroup. Returns 0, or -errno
 * with the reason in @fds->group->why.
 */
int cgroup_clock__start(const struct event_fds *fds, int **clocks);
void cgroup_clock__stop(const struct event_fds *fds, int *clocks);

#endif
