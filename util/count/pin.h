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
 * Opens the BPF object that is pinned at @path, provided that only root and the effective user can have pinned it. The
 * caller has checked the directory with pin__check_dir(). Returns an fd, -ENOENT if nothing is pinned there,
 * TRUSTED_PATH_REFUSED, or another -errno. @why has the reason and advice, except for -ENOENT.
 */
int pin__open(const char *path, struct strbuf *why);

/*
 * Pins the map @map_fd at @path, where pin__open() found nothing. If another session was faster, closes *@map_fd and
 * replaces it with that session's map, after the checks of pin__open(). Returns 0, or -errno with the reason in @why.
 * On error *@map_fd is unchanged or -1.
 */
int pin__add(int *map_fd, const char *path, struct strbuf *why);

/*
 * The lock under which sessions look for pinned objects and create missing ones. It belongs to the process: two
 * threads of one process do not exclude each other.
 */
struct pin_lock {
	int fd; /* -1 while not taken */
};

#define PIN_LOCK_NONE ((struct pin_lock){ .fd = -1 })

/*
 * Takes the lock. Waits for sessions that hold it and are running: at most one minute for each and five minutes in
 * total. Waits less than a second for a session that is stopped. If the wait ends without the lock, pstat warns and
 * continues, so the code that follows must be correct without the lock too.
 */
void pin_lock__take(struct pin_lock *lock);
void pin_lock__release(struct pin_lock *lock);

/* Any file's lock, asked for until @wait_ns have gone by: 0 or -errno. */
int pin_lock__flock_within(int fd, uint64_t wait_ns);

#endif
