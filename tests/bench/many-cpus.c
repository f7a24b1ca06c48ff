// SPDX-License-Identifier: GPL-2.0-only
/*
 * many-cpus.so, preloaded into pstat: perf_event_open(2) for a CPU that this machine does not have.
 *
 * The first open of an event is real, on CPU 0 and of all tasks; each later one with the same attr is one more fd of the same perf
 * event, whichever CPU it is for. So each read(2), ioctl(2) and close(2) is real, and a machine of one CPU counts on as many as its
 * (made up) sysfs says; what is missing is the interrupt to another CPU, which a read there takes. Events of control groups are refused
 * (EINVAL): fds of another's event would be none of theirs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_EVENTS 1024

static struct opened {
	struct perf_event_attr attr;
	int fd;
} events[MAX_EVENTS];
static int nr_events;

typedef long syscall_fn(long number, ...);

/* pstat opens an event on all CPUs, then the next: the last one is most often that which is looked for. */
static struct opened *find(const struct perf_event_attr *attr)
{
	for (int i = nr_events - 1; i >= 0; i--)
		if (!memcmp(&events[i].attr, attr, sizeof(*attr)))
			return &events[i];
	return NULL;
}

static struct opened *open_first(syscall_fn *real, struct perf_event_attr *attr, unsigned long flags)
{
	const struct perf_event_attr asked = *attr;
	int fd;

	if (nr_events == MAX_EVENTS) {
		errno = ENOSPC;
		return NULL;
	}
	fd = (int)real(SYS_perf_event_open, attr, -1, 0, -1, flags);
	if (fd < 0)
		return NULL;
	events[nr_events] = (struct opened){ asked, fd };
	return &events[nr_events++];
}

/* The first fd of an event is ours and stays open, so that pstat may close all of its own and open the event again. */
static long open_event(syscall_fn *real, struct perf_event_attr *attr, unsigned long flags)
{
	struct opened *opened;

	if (flags & PERF_FLAG_PID_CGROUP) {
		errno = EINVAL;
		return -1;
	}
	opened = find(attr) ?: open_first(real, attr, flags);
	return opened ? fcntl(opened->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

long syscall(long number, ...)
{
	syscall_fn *real = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open)
		return open_event(real, (struct perf_event_attr *)arg[0], (unsigned long)arg[4]);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
