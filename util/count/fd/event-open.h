/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a single fd of an event. Adapts exclude_guest to the PMU. */
#ifndef PSTAT_COUNT_EVENT_OPEN_H
#define PSTAT_COUNT_EVENT_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

struct evsel;
union perf_attr;

/* Where an event is opened: all arguments of perf_event_open(2) except struct perf_event_attr. */
struct event_place {
	/* the task; -1: all tasks; with PERF_FLAG_PID_CGROUP, the fd of the cgroup's directory */
	pid_t pid;
	int cpu, group_fd;   /* cpu is -1 for any CPU; group_fd is -1 for no group */
	unsigned long flags; /* PERF_FLAG_PID_CGROUP or 0 */
};

/*
 * Calls perf_event_open(2). If the call fails and the event has no modifier G or H, may try again
 * with the other value of exclude_guest: 0 after EINVAL, because the PMU may not support the flag,
 * and 1 after EOPNOTSUPP, because the PMU may not be able to count guests. Changes exclude_guest in
 * @attr to the value with which the event was opened. Returns an fd or -errno.
 */
int event_open(const struct evsel *evsel, union perf_attr *attr, const struct event_place *place);

/* Returns whether event_open() has set exclude_guest, so that the event does not count guests. */
bool event_open__dropped_guests(const struct evsel *evsel, const union perf_attr *attr);

/*
 * @err is the result of event_open(). Returns whether the caller may try to open the event for user
 * space only. This is the case if @err means that the user is not allowed to count in the kernel
 * (perf_event_paranoid), and the event has none of the modifiers u, k and h.
 */
bool event_open__may_drop_kernel(const struct evsel *evsel, int err);

/*
 * Moves the open breakpoint @fd to the address in @attr. Then disables the breakpoint if `disabled`
 * is set in @attr, and otherwise enables it. After the command's exec, enable_on_exec must be 0,
 * because the kernel has cleared it in the event. exclude_guest may have either value. All other
 * members of @attr must have the same values as when the breakpoint was opened. Returns 0 or
 * -errno.
 */
int event_open__move(int fd, const union perf_attr *attr);

#endif
