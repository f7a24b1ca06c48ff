/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel keeps time for control groups on a CPU only while an event of a group is on there. The first that is enabled finds the clock
 * where it stood when the last went off, be it hours ago, and where the CPU runs a task with events of its own all that time becomes
 * "enabled" and none of it "running" (seen in 6.1, 6.12 and 6.18): the count would be scaled up, a hundredfold and more. So an event
 * that counts nothing goes on first, and takes the leap.
 */
#ifndef PSTAT_COUNT_CGROUP_CLOCK_H
#define PSTAT_COUNT_CGROUP_CLOCK_H

struct event_fds;

/* Files that are open between the two calls, at most. */
int cgroup_clock__nr_files(const struct event_fds *fds);

/*
 * Before the events of @fds are enabled: 0 and *@clocks, which stop takes after that and which is NULL where no event is of a group; or
 * -errno, told.
 */
int cgroup_clock__start(const struct event_fds *fds, int **clocks);
void cgroup_clock__stop(const struct event_fds *fds, int *clocks);

#endif
