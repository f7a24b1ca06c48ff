/* SPDX-License-Identifier: GPL-2.0-only */
/* What sessions have to agree on before they pin something for each other. */
#ifndef PSTAT_COUNT_PIN_H
#define PSTAT_COUNT_PIN_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* 0 when @path can be pinned: its directory is on a bpffs, which is mounted at /sys/fs/bpf if need be. -errno, the reason in @why. */
int pin__check_dir(const char *path, struct strbuf *why);

/*
 * Opens the BPF object that is pinned at @path, whose folder pin__check_dir() has taken, if nobody but root and the effective user can have
 * pinned it there. Returns an fd, -ENOENT when nothing is pinned there, TRUSTED_PATH_REFUSED, or another -errno; @why has the reason and
 * what to do, but for -ENOENT.
 */
int pin__open(const char *path, struct strbuf *why);

/*
 * Pins the map @map_fd at @path, where pin__open() found nothing. When somebody was faster, *@map_fd is closed and becomes theirs, checked
 * likewise. Returns 0, or -errno with the reason in @why: then *@map_fd is as it was, or -1.
 */
int pin__add(int *map_fd, const char *path, struct strbuf *why);

/* The turn to look for what is pinned and to make what is not. Of the process: two threads of one do not wait for each other. */
struct pin_lock {
	int fd; /* -1 while not taken */
};

#define PIN_LOCK_NONE ((struct pin_lock){ .fd = -1 })

/*
 * Waits for sessions that have the lock and are at work: a minute for each, five minutes in all. A session that is stopped is waited for
 * less than a second. What follows must be right also without the lock; pstat warns then.
 */
void pin_lock__take(struct pin_lock *lock);
void pin_lock__release(struct pin_lock *lock);

/* Any file's lock, asked for until @wait_ns have gone by: 0 or -errno. */
int pin_lock__flock_within(int fd, uint64_t wait_ns);

#endif
