/* SPDX-License-Identifier: GPL-2.0-only */
/* A kprobe that runs a BPF program at the start of a kernel function. */
#ifndef PSTAT_COUNT_KPROBE_EVENT_H
#define PSTAT_COUNT_KPROBE_EVENT_H

struct kprobe_event {
	int fd;	    /* the perf event */
	int map_fd; /* a BPF map that also has a reference to the event; see kprobe_event__open() */
};

/*
 * Opens a kprobe at the start of @function. Returns 0; -ENOENT if the kernel has no kprobes or no
 * function with this name; or another -errno.
 *
 * The kernel needs about 50 ms (several RCU grace periods) to remove a kprobe. If the event's fd
 * were the only reference to the event, close(2) of this fd would wait for the removal. So a BPF
 * map also has a reference to the event. kprobe_event__close() closes both fds without waiting. The
 * kernel frees the map, and then removes the kprobe, some time later.
 */
int kprobe_event__open(const char *function, struct kprobe_event *event);
/*
 * Makes the BPF program @prog_fd run at each call to the function, until kprobe_event__close().
 * Returns 0 or -errno.
 */
int kprobe_event__attach(struct kprobe_event *event, int prog_fd);
void kprobe_event__close(struct kprobe_event *event);

#endif
