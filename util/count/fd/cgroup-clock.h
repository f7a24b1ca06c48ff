/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prevents a jump in the enabled time of cgroup events. The kernel has a clock for each cgroup on
 * each CPU. The clocks of a CPU advance only while at least one cgroup event, of any cgroup, is
 * enabled on the CPU. When the next cgroup event is enabled, the clocks are behind by the time for
 * which no cgroup event was enabled, which can be hours. If the CPU then runs a task that has its
 * own events, the kernel adds this time to the enabled time of the cgroup event, but not to its
 * running time (seen in Linux 6.1, 6.12 and 6.18). The report would then scale the count up by a
 * factor of 100 or more. To prevent this, pstat first enables a cgroup event that counts nothing.
 * The kernel adds the time to this event instead.
 */
#ifndef PSTAT_COUNT_CGROUP_CLOCK_H
#define PSTAT_COUNT_CGROUP_CLOCK_H

struct event_fds;

/* Returns the maximum number of files that cgroup_clock__start() opens. */
int cgroup_clock__nr_files(const struct event_fds *fds);

/*
 * Starts the clocks by opening an event on each CPU, and sets *@clocks to the fds of these events.
 * Must be called before the events of @fds are enabled. After enabling the events of @fds, the
 * caller must pass *@clocks to cgroup_clock__stop(). Sets *@clocks to NULL if no event belongs to a
 * cgroup. Returns 0, or -errno with the reason in @fds->group->why.
 */
int cgroup_clock__start(const struct event_fds *fds, int **clocks);
void cgroup_clock__stop(const struct event_fds *fds, int *clocks);

#endif
