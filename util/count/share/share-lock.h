/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock that a session holds while it looks for leaders, makes leaders that do not exist yet, or
 * repairs leaders. A session that runs as root also holds the lock during the calibration for
 * --scope. The lock belongs to the process, so it does not exclude other threads of the same
 * process.
 */
#ifndef PSTAT_COUNT_SHARE_LOCK_H
#define PSTAT_COUNT_SHARE_LOCK_H

#include <stdint.h>

struct share_lock {
	int fd; /* the lock file; -1: not open */
};

#define SHARE_LOCK_NONE ((struct share_lock){ .fd = -1 })

/*
 * Takes the lock. Waits at most one minute for a running holder, and at most five minutes in total
 * for several holders. Waits less than a second for a holder that is stopped. If the lock cannot be
 * taken, returns without it, so the caller must not rely on the lock.
 */
void share_lock__take(struct share_lock *lock);
void share_lock__release(struct share_lock *lock);

/*
 * Tries for at most @wait_ns nanoseconds to lock the file @fd exclusively with flock(2). Returns 0
 * or -errno.
 */
int share_lock__flock_within(int fd, uint64_t wait_ns);

#endif
