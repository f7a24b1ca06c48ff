/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a single event with an attr that the kernel accepts, made from the parsed attr. */
#ifndef PSTAT_COUNT_EVENT_OPEN_H
#define PSTAT_COUNT_EVENT_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

struct evsel;
union perf_attr;

/* The place where an event is opened; see perf_event_open(2). */
struct event_place {
	/* the task; -1: all tasks; with PERF_FLAG_PID_CGROUP, the fd of the cgroup's directory */
	pid_t pid;
	int cpu, group_fd;   /* -1: any CPU, no group */
	unsigned long flags; /* PERF_FLAG_PID_CGROUP or 0 */
};

/*
 * Calls perf_event_open(2). If the event has no modifier G or H, it depends on the PMU whether
 * guests are counted: pstat clears exclude_guest if the PMU does not support this flag (EINVAL),
 * and sets it if the PMU cannot count guests (EOPNOTSUPP). Returns an fd, or -errno. *@attr is the
 * attr of the last call.
 */
int event_open(const struct evsel *evsel, union perf_attr *attr, const struct event_place *place);

/* Returns whether event_open() has set exclude_guest in @attr. */
bool event_open__dropped_guests(const struct evsel *evsel, const union perf_attr *attr);

/*
 * Did the kernel refuse to count events in the kernel (perf_event_paranoid), and did the user not
 * ask for this by a modifier?
 */
bool event_open__may_drop_kernel(const struct evsel *evsel, int err);

/*
 * Moves the open breakpoint @fd to the address in @attr. The other members of @attr must be
 * unchanged. Returns 0 or -errno.
 */
int event_open__move(int fd, const union perf_attr *attr);

#endif
