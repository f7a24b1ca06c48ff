/* SPDX-License-Identifier: GPL-2.0-only */
/* A kprobe on a kernel function that runs a BPF program. */
#ifndef PSTAT_COUNT_KPROBE_EVENT_H
#define PSTAT_COUNT_KPROBE_EVENT_H

struct kprobe_event {
	int fd;	    /* the perf event */
	int map_fd; /* a map that also holds the event: see kprobe_event__open() */
};

/*
 * Opens a kprobe at the start of @function. Returns 0 or -errno; -ENOENT if the kernel has no
 * kprobes or no such function.
 *
 * Removing a kprobe takes the kernel about 50 ms (several grace periods). To avoid this wait in
 * close(2), a BPF map also holds the event, and the kernel frees the map later.
 */
int kprobe_event__open(const char *function, struct kprobe_event *event);
/*
 * Makes the BPF program @prog_fd run at each call to the function, until kprobe_event__close().
 * Returns 0 or -errno.
 */
int kprobe_event__attach(struct kprobe_event *event, int prog_fd);
void kprobe_event__close(struct kprobe_event *event);

#endif
