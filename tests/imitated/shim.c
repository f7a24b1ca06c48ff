// SPDX-License-Identifier: GPL-2.0-only
/*
 * shim.so is preloaded into pstat or perf. It implements perf_event_open(2), and read(2), ioctl(2)
 * and close(2) of the returned fds, with the imitated kernel of kernel.h. It writes a line for each
 * call of perf_event_open(2), and for the first read(2) of each event, to the file that
 * IMITATED_LOG names:
 *
 *	open SERIAL type=N config=0x… FIELD… pid=WHO cpu=N group=SERIAL flags=0x… = ok
 *	open - … = ERRNO
 *	read SERIAL
 *
 * sched_setaffinity(2) also succeeds for CPUs that are online only in the imitated machine. In this
 * case, it has no effect.
 *
 * Fields that are 0 are omitted. WHO is "all", "cgroup" or "taskN". Tasks are numbered in the order
 * in which they appear.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/imitated/kernel.h"
#include "tests/preload.h"

#define MAX_FDS 65536
#define MAX_TASKS 256
#define LINE_SIZE 1024

static struct event *events[MAX_FDS]; /* indexed by fd */
static int nr_opened;
static pid_t tasks[MAX_TASKS];
static int nr_tasks;
static char log_text[1 << 18];
static size_t log_size;
static pid_t log_owner;

/* Writes the lines that this process has logged. Ignores lines that it inherited at a fork. */
static void flush_log(void)
{
	const char *path = getenv("IMITATED_LOG");
	int fd;

	if (!path || log_owner != getpid() || !log_size)
		return;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			  0600);
	if (fd < 0)
		return;
	syscall(SYS_write, fd, log_text, log_size);
	syscall(SYS_close, fd);
	log_size = 0;
}

static void __attribute__((destructor)) flush_at_exit(void)
{
	flush_log();
}

static void __attribute__((format(printf, 1, 2))) log_line(const char *format, ...)
{
	va_list args;

	if (!getenv("IMITATED_LOG"))
		return;
	if (log_owner != getpid())
		log_size = 0;
	log_owner = getpid();
	if (sizeof(log_text) - log_size < LINE_SIZE)
		flush_log();
	va_start(args, format);
	log_size += (size_t)vsnprintf(log_text + log_size, LINE_SIZE, format, args);
	va_end(args);
}

static int task_number(pid_t pid)
{
	for (int i = 0; i < nr_tasks; i++)
		if (tasks[i] == pid)
			return i + 1;
	if (nr_tasks == MAX_TASKS)
		return MAX_TASKS;
	tasks[nr_tasks++] = pid;
	return nr_tasks;
}

static void format_attr(const struct event *event, char *text, size_t size)
{
	const struct perf_event_attr *a = &event->attr;
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{ "config1", a->config1 },
		{ "config2", a->config2 },
		{ "config3", event->config3 },
		{ "period", a->sample_period },
		{ "sample_type", a->sample_type },
		{ "read_format", a->read_format },
		{ "precise_ip", a->precise_ip },
		{ "disabled", a->disabled },
		{ "inherit", a->inherit },
		{ "enable_on_exec", a->enable_on_exec },
		{ "pinned", a->pinned },
		{ "exclusive", a->exclusive },
		{ "exclude_user", a->exclude_user },
		{ "exclude_kernel", a->exclude_kernel },
		{ "exclude_hv", a->exclude_hv },
		{ "exclude_idle", a->exclude_idle },
		{ "exclude_host", a->exclude_host },
		{ "exclude_guest", a->exclude_guest },
		{ "freq", a->freq },
		{ "bp_type", a->bp_type },
	};
	size_t len = (size_t)snprintf(text, size, "type=%u config=0x%llx", a->type,
				      (unsigned long long)a->config);

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields) && len < size; i++)
		if (fields[i].value)
			len += (size_t)snprintf(text + len, size - len, " %s=0x%llx",
						fields[i].name,
						(unsigned long long)fields[i].value);
}

static void log_open(const struct event *event, int cpu, const struct event *leader,
		     unsigned long flags, int err)
{
	char text[LINE_SIZE / 2], who[32] = "all", serial[16] = "-", group[16] = "-";

	format_attr(event, text, sizeof(text));
	if (flags & PERF_FLAG_PID_CGROUP)
		strcpy(who, "cgroup");
	else if (event->pid != -1)
		snprintf(who, sizeof(who), "task%d", task_number(event->pid));
	if (!err)
		snprintf(serial, sizeof(serial), "%d", event->serial);
	if (leader)
		snprintf(group, sizeof(group), "%d", leader->serial);
	log_line("open %s %s pid=%s cpu=%d group=%s flags=0x%lx = %s\n", serial, text, who, cpu,
		 group, flags, err ? strerrorname_np(-err) : "ok");
}

static struct event *event_of(int fd)
{
	return fd >= 0 && fd < MAX_FDS ? events[fd] : NULL;
}

static void copy_attr(struct event *event, const struct perf_event_attr *attr)
{
	size_t size = attr->size && attr->size < sizeof(*attr) ? attr->size : sizeof(*attr);

	memcpy(&event->attr, attr, size);
	/* PERF_ATTR_SIZE_VER8 */
	if (attr->size >= 136)
		memcpy(&event->config3, (const char *)attr + 128, sizeof(event->config3));
}

static int give_fd(struct event *event, struct event *leader)
{
	struct event **last = &event->leader->next;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);

	if (fd < 0 || fd >= MAX_FDS)
		return -EMFILE;
	if (leader) {
		while (*last)
			last = &(*last)->next;
		*last = event;
	}
	event->fd = fd;
	events[fd] = event;
	return fd;
}

static long open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		       unsigned long flags)
{
	struct event *event = calloc(1, sizeof(*event)), *leader = event_of(group_fd);
	int err;

	if (!event) {
		errno = ENOMEM;
		return -1;
	}
	copy_attr(event, attr);
	event->cgroup = flags & PERF_FLAG_PID_CGROUP;
	event->pid = event->cgroup ? -1 : pid;
	event->leader = leader ?: event;
	err = group_fd >= 0 && !leader ? -EBADF : kernel__init_event(event, leader, cpu);
	if (!err) {
		event->serial = ++nr_opened;
		event->id = (uint64_t)event->serial;
	}
	log_open(event, cpu, leader, flags, err);
	err = err ?: give_fd(event, leader);
	if (err >= 0)
		return err;
	free(event);
	errno = -err;
	return -1;
}

static bool answer_syscall(long number, const long *arg, void *caller, long *result)
{
	(void)caller;
	if (number != SYS_perf_event_open)
		return false;
	*result = open_event((const struct perf_event_attr *)arg[0], (pid_t)arg[1], (int)arg[2],
			     (int)arg[3], (unsigned long)arg[4]);
	return true;
}

ssize_t read(int fd, void *buf, size_t size)
{
	static ssize_t (*real)(int fd, void *buf, size_t size);
	struct event *event = event_of(fd);
	uint64_t words[4096];
	size_t have;

	if (!event) {
		real = real ?: (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
		return real(fd, buf, size);
	}
	if (!event->was_read)
		log_line("read %d\n", event->serial);
	event->was_read = true;
	have = (size_t)kernel__read(event, words) * sizeof(*words);
	hotplug__read(event, words);
	if (size < have) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(buf, words, have);
	return (ssize_t)have;
}

/*
 * Only PERF_EVENT_IOC_ID has an effect. Enabling and disabling is ignored, because the counts of
 * imitated events do not depend on time.
 */
int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int fd, unsigned long request, ...);
	struct event *event = event_of(fd);
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!event) {
		real = real ?: (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
		return real(fd, request, arg);
	}
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = event->id;
	return 0;
}

/* If @event is the leader, the other members of its group become events without a group. */
static void leave_group(struct event *event)
{
	if (event->leader != event) {
		struct event *before = event->leader;

		while (before->next != event)
			before = before->next;
		before->next = event->next;
		return;
	}
	for (struct event *member = event->next, *next; member; member = next) {
		next = member->next;
		member->leader = member;
		member->next = NULL;
	}
}

static void close_event(int fd)
{
	struct event *event = events[fd];

	events[fd] = NULL;
	leave_group(event);
	free(event);
}

int close(int fd)
{
	static int (*real)(int fd);

	if (event_of(fd))
		close_event(fd);
	real = real ?: (int (*)(int))dlsym(RTLD_NEXT, "close");
	return real(fd);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	const struct machine *machine = machine__get();

	if (!syscall(SYS_sched_setaffinity, pid, size, set))
		return 0;
	for (int cpu = 0; errno == EINVAL && machine && cpu < MAX_CPUS; cpu++)
		if (machine->online[cpu] && CPU_ISSET_S(cpu, size, set))
			return 0;
	return -1;
}
