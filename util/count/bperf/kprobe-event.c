// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/kprobe-event.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/sysfs.h"

static int hold(struct kprobe_event *event)
{
	int zero = 0;

	event->map_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "pstat_kprobe", sizeof(int),
				       sizeof(int), 1, NULL);
	if (event->map_fd < 0 || bpf_map_update_elem(event->map_fd, &zero, &event->fd, BPF_ANY))
		return -errno;
	return 0;
}

int kprobe_event__open(const char *function, struct kprobe_event *event)
{
	union perf_attr attr = { 0 };
	uint64_t type;
	int err;

	event->fd = event->map_fd = -1;
	err = sysfs__read_u64(sysroots__host()->sysfs, "bus/event_source/devices/kprobe/type",
			      &type);
	if (err)
		return err;
	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.type = (__u32)type;
	attr.attr.config1 = (uint64_t)(uintptr_t)function;
	/*
	 * perf_event_open(2) requires a CPU, but the kernel runs the program on whichever CPU calls
	 * the function
	 */
	event->fd = perf_sys__open(&attr, -1, sched_getcpu(), -1, 0);
	if (event->fd < 0)
		return event->fd;
	err = hold(event);
	if (err)
		kprobe_event__close(event);
	return err;
}

/* Uses an ioctl instead of a BPF link, because closing a link would wait for a grace period. */
int kprobe_event__attach(struct kprobe_event *event, int prog_fd)
{
	int err = perf_sys__set_bpf(event->fd, prog_fd);

	return err ?: perf_sys__enable(event->fd);
}

void kprobe_event__close(struct kprobe_event *event)
{
	if (event->fd >= 0)
		close(event->fd);
	if (event->map_fd >= 0)
		close(event->map_fd);
	event->fd = event->map_fd = -1;
}
