// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/scope-links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/reason.h"
#include "util/count/bpf-util.h"

/* `link_create` of union bpf_attr, with the fields for uprobe_multi (linux/bpf.h, Linux 6.6) */
struct link_create_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u64 path;
	__u64 offsets;
	__u64 ref_ctr_offsets;
	__u64 cookies;
	__u32 cnt;
	__u32 uprobe_flags;
	__u32 pid;
	__u32 unused;
};

#define UPROBE_MULTI_RETURN 1U

static int create_multi(int prog_fd, const struct scope_uprobes *uprobes)
{
	struct link_create_attr attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = SCOPE_TRACE_UPROBE_MULTI,
		.path = (__u64)(uintptr_t)uprobes->path,
		.offsets = (__u64)(uintptr_t)uprobes->offsets,
		.ref_ctr_offsets = (__u64)(uintptr_t)uprobes->ref_ctr_offsets,
		.cookies = (__u64)(uintptr_t)uprobes->cookies,
		.cnt = (__u32)uprobes->nr,
		.uprobe_flags = uprobes->at_return ? UPROBE_MULTI_RETURN : 0,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/*
 * Tries to attach a program to a directory, which no kernel allows. A kernel in which one link can
 * attach a program at many points returns EBADF; any other kernel returns EINVAL.
 */
bool scope_links__have_multi(void)
{
	int prog_fd = bpf_util__load_kprobe(SCOPE_TRACE_UPROBE_MULTI);
	uint64_t offset = 1;
	const struct scope_uprobes nowhere = { .path = "/", .nr = 1, .offsets = &offset };
	int fd;

	if (prog_fd < 0)
		return false;
	fd = create_multi(prog_fd, &nowhere);
	close(prog_fd);
	if (fd >= 0)
		close(fd);
	return fd == -EBADF;
}

int scope_links__add(struct scope_links *links, int fd, int event)
{
	size_t nr = (size_t)links->nr + 1;
	int *fds = realloc(links->fds, sizeof(*fds) * nr), *events;

	if (fds)
		links->fds = fds;
	events = fds ? realloc(links->events, sizeof(*events) * nr) : NULL;
	if (!events) {
		close(fd);
		if (event >= 0)
			close(event);
		return -ENOMEM;
	}
	links->events = events;
	fds[links->nr] = fd;
	events[links->nr++] = event;
	return 0;
}

/* ---- one perf event for each point ---- */

int scope_links__read_pmu(const char *file, const char *format)
{
	char path[128];
	int value, found;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", file);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	found = fscanf(f, format, &value);
	fclose(f);
	return found == 1 ? value : -EINVAL;
}

static int open_event(const struct scope_uprobes *uprobes, int point)
{
	union perf_attr attr = { .attr = { .size = PERF_ATTR_SIZE } };
	int type = scope_links__read_pmu("uprobe/type", "%d");
	int bit = scope_links__read_pmu("uprobe/format/retprobe", "config:%d");

	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
	attr.attr.type = (__u32)type;
	attr.attr.config = (uprobes->at_return ? 1ULL << bit : 0);
	if (uprobes->ref_ctr_offsets)
		attr.attr.config |= uprobes->ref_ctr_offsets[point] << 32;
	attr.attr.config1 = (__u64)(uintptr_t)uprobes->path;
	attr.attr.config2 = uprobes->offsets[point];
	/* the kernel runs the program on every CPU, although the event is opened for CPU 0 */
	return perf_sys__open(&attr, -1, 0, -1, 0);
}

int scope_links__add_event(struct scope_links *links, int prog_fd, int event, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts), err;

	if (fd < 0) {
		err = -errno;
		close(event);
		return err;
	}
	err = scope_links__add(links, fd, event);
	return err ?: perf_sys__enable(event);
}

static int attach_event(struct scope_links *links, int prog_fd, const struct scope_uprobes *uprobes,
			int point)
{
	int event = open_event(uprobes, point);

	if (event < 0)
		return event;
	return scope_links__add_event(links, prog_fd, event, uprobes->cookies[point]);
}

/* ---- */

/* libc does not define this error number of the kernel. */
#define KERNEL_ENOTSUPP 524

static const char *describe(int err)
{
	return err == -KERNEL_ENOTSUPP ? "the kernel cannot probe the instruction there" :
					 strerror(-err);
}

int scope_links__add_uprobes(struct scope_links *links, int prog_fd, bool multi,
			     const struct scope_uprobes *uprobes, const char *name,
			     struct strbuf *why)
{
	int err = 0, fd, point = 0;

	if (multi) {
		fd = create_multi(prog_fd, uprobes);
		err = fd < 0 ? fd : scope_links__add(links, fd, -1);
	} else {
		for (; !err && point < uprobes->nr; point++)
			err = attach_event(links, prog_fd, uprobes, point);
	}
	return reason__set(why, err,
			   "%s: %s: no probe can be attached at %d point%s of this file%s: %s",
			   uprobes->option, name, uprobes->nr, uprobes->nr == 1 ? "" : "s",
			   uprobes->at_return ? " (returns of functions)" : "", describe(err));
}

void scope_links__free(struct scope_links *links)
{
	for (int i = links->nr - 1; i >= 0; i--) {
		close(links->fds[i]);
		if (links->events[i] >= 0)
			close(links->events[i]);
	}
	free(links->fds);
	free(links->events);
	*links = (struct scope_links){ .nr = 0 };
}
