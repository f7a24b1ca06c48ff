/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_event_open(2) and its ioctls. Each function makes one system call and returns a result >= 0
 * or a negative errno.
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
 * The size of struct perf_event_attr with config3 as its last member (PERF_ATTR_SIZE_VER8, added in
 * Linux 6.3). Older kernels accept this size if all bytes of the members that they do not know are
 * zero.
 */
#define PERF_ATTR_SIZE 136

/*
 * A struct perf_event_attr with room for config3. Older kernel headers, with which pstat can also
 * be built, do not declare this member.
 */
union perf_attr {
	struct perf_event_attr attr;
	struct {
		__u64 words[16];
		__u64 config3;
	} v8;
};

_Static_assert(sizeof(union perf_attr) >= PERF_ATTR_SIZE, "perf_attr holds config3");

/*
 * Opens an event. @pid is the id of a task, 0 for the calling task, or -1 for all tasks; with
 * PERF_FLAG_PID_CGROUP in @flags, @pid is the fd of a cgroup's directory. @cpu is a CPU id, or -1
 * for any CPU. @group_fd is the fd of the event that leads the group, or -1 for a new group.
 * Returns an fd, which the caller must close, or a negative errno.
 */
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
 * Changes the address, length and type of a breakpoint (PERF_EVENT_IOC_MODIFY_ATTRIBUTES, added in
 * Linux 4.17). @attr may differ from the attr of perf_sys__open() only in bp_addr, bp_len and
 * bp_type.
 */
static inline int perf_sys__modify(int fd, const union perf_attr *attr)
{
	return ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, attr) ? -errno : 0;
}

/* Attaches the BPF program @prog_fd to the event. */
static inline int perf_sys__set_bpf(int fd, int prog_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) ? -errno : 0;
}

/*
 * Sets the filter of a tracepoint event. Documentation/trace/events.rst in the kernel's source
 * describes the syntax.
 */
static inline int perf_sys__set_filter(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

#endif
