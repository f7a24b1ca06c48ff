// SPDX-License-Identifier: GPL-2.0-only
/*
 * many-cpus.so, preloaded into pstat: imitates perf_event_open(2) on CPUs that this machine does
 * not have.
 *
 * The first open of an event is real, on CPU 0 and for all tasks. Each later open with the same
 * attr, for any CPU, returns another fd of the same perf event. Therefore each read(2), ioctl(2)
 * and close(2) is real, and a machine with one CPU counts on as many CPUs as its imitated sysfs
 * lists. Only one thing is missing: a real read on such a machine interrupts another CPU. Events of
 * cgroups are refused (EINVAL), because the fd of another cgroup's event would count the wrong
 * tasks.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/preload.h"

#define MAX_EVENTS 1024

static struct opened {
	struct perf_event_attr attr;
	int fd;
} events[MAX_EVENTS];
static int nr_events;

/*
 * pstat opens an event on all CPUs, then the next event, so usually the last entry is the right
 * one.
 */
static struct opened *find(const struct perf_event_attr *attr)
{
	for (int i = nr_events - 1; i >= 0; i--)
		if (!memcmp(&events[i].attr, attr, sizeof(*attr)))
			return &events[i];
	return NULL;
}

static struct opened *open_first(struct perf_event_attr *attr, unsigned long flags)
{
	const struct perf_event_attr asked = *attr;
	int fd;

	if (nr_events == MAX_EVENTS) {
		errno = ENOSPC;
		return NULL;
	}
	fd = (int)real_syscall()(SYS_perf_event_open, attr, -1, 0, -1, flags);
	if (fd < 0)
		return NULL;
	events[nr_events] = (struct opened){ asked, fd };
	return &events[nr_events++];
}

/*
 * This library keeps the first fd of an event open, so that pstat may close all its fds and open
 * the event again.
 */
static long open_event(struct perf_event_attr *attr, unsigned long flags)
{
	struct opened *opened;

	if (flags & PERF_FLAG_PID_CGROUP) {
		errno = EINVAL;
		return -1;
	}
	opened = find(attr) ?: open_first(attr, flags);
	return opened ? fcntl(opened->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

static bool answer_syscall(long number, const long *arg, void *caller, long *result)
{
	(void)caller;
	if (number != SYS_perf_event_open)
		return false;
	*result = open_event((struct perf_event_attr *)arg[0], (unsigned long)arg[4]);
	return true;
}
