/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_event_open(2) and its ioctls. Each call returns a result >= 0 or a negative errno, and does
 * nothing else.
 */
#ifndef PSTAT_PERF_SYS_H
#define PSTAT_PERF_SYS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Size of the attr since config3 came (PERF_ATTR_SIZE_VER8, kernel 6.3); older kernels take it
 * while the tail is zero.
 */
#define PERF_ATTR_SIZE 136

/* The attr with room for config3, whatever the age of the kernel headers that the build found. */
union perf_attr {
	struct perf_event_attr attr;
	struct {
		__u64 words[16];
		__u64 config3;
	} v8;
};

_Static_assert(sizeof(union perf_attr) >= PERF_ATTR_SIZE, "perf_attr holds config3");

/* @pid -1: all tasks; @cpu -1: any CPU, else a CPU id. Returns an fd that the caller closes. */
static inline int perf_sys__open(union perf_attr *attr, pid_t pid, int cpu, int group_fd,
				 unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static inline int perf_sys__enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static inline int perf_sys__disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

/*
 * Moves a breakpoint (PERF_EVENT_IOC_MODIFY_ATTRIBUTES, kernel 4.17): all but its address, length
 * and access stays.
 */
static inline int perf_sys__modify(int fd, const union perf_attr *attr)
{
	return ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, attr) ? -errno : 0;
}

/* The event runs the BPF program @prog_fd. */
static inline int perf_sys__set_bpf(int fd, int prog_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) ? -errno : 0;
}

/* A tracepoint's filter, in the kernel's own language (Documentation/trace/events.rst). */
static inline int perf_sys__set_filter(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

#endif
