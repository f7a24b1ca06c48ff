/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a single event. Adapts flags of the attr to what the PMU supports. */
#ifndef PSTAT_COUNT_EVENT_OPEN_H
#define PSTAT_COUNT_EVENT_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

struct evsel;
union perf_attr;

/* Where an event is opened: the other arguments of perf_event_open(2). */
struct event_place {
	/* the task; -1: all tasks; with PERF_FLAG_PID_CGROUP, the fd of the cgroup's directory */
	pid_t pid;
	int cpu, group_fd;   /* cpu is -1 for any CPU; group_fd is -1 for no group */
	unsigned long flags; /* PERF_FLAG_PID_CGROUP or 0 */
};

/*
 * Calls perf_event_open(2). If the event has no modifier G or H, adapts exclude_guest to the PMU:
 * clears it if the PMU does not support the flag (EINVAL), and sets it if the PMU cannot count
 * guests (EOPNOTSUPP). Returns an fd, or -errno. Sets *@attr to the attr of the last attempt.
 */
int event_open(const struct evsel *evsel, union perf_attr *attr, const struct event_place *place);

/* Returns whether event_open() has set exclude_guest in @attr. */
bool event_open__dropped_guests(const struct evsel *evsel, const union perf_attr *attr);

/*
 * Returns whether the error @err means that the user may not count in the kernel
 * (perf_event_paranoid), and no modifier of the event asks for the kernel. The caller can then open
 * the event for user space only.
 */
bool event_open__may_drop_kernel(const struct evsel *evsel, int err);

/*
 * Moves the open breakpoint @fd to the address in @attr. The other members of @attr must be the
 * same as when the breakpoint was opened. Returns 0 or -errno.
 */
int event_open__move(int fd, const union perf_attr *attr);

#endif
