/* SPDX-License-Identifier: GPL-2.0-only */
/* What sessions have to agree on before they pin something for each other. */
#ifndef PSTAT_COUNT_PIN_H
#define PSTAT_COUNT_PIN_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* 0 when @path can be pinned: its directory is on a bpffs, which is mounted at /sys/fs/bpf if need be. -errno, the reason in @why. */
int pin__check_dir(const char *path, struct strbuf *why);

/* The turn to look for what is pinned and to make what is not. */
struct pin_lock {
	int fd;	       /* -1 while not taken */
	bool has_turn; /* it is locked by this */
};

#define PIN_LOCK_NONE ((struct pin_lock){ .fd = -1 })

/*
 * Nobody is waited for longer than a second but sessions that are at work; when many begin at once each has its turn. What follows must
 * be right also without.
 */
void pin_lock__take(struct pin_lock *lock);
void pin_lock__release(struct pin_lock *lock);

/* Any file's lock, asked for until @wait_ns have gone by: 0 or -errno. */
int pin_lock__flock_within(int fd, uint64_t wait_ns);

#endif
