/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock that sessions take before they look for leaders and make missing ones. It belongs to the
 * process, so it does not protect threads of the same process from each other.
 */
#ifndef PSTAT_COUNT_SHARE_LOCK_H
#define PSTAT_COUNT_SHARE_LOCK_H

#include <stdint.h>

struct share_lock {
	int fd; /* -1 while the lock is not held */
};

#define SHARE_LOCK_NONE ((struct share_lock){ .fd = -1 })

/*
 * Takes the lock. Waits for sessions that hold it and are running: at most one minute for each and
 * five minutes in total. Waits less than a second for a session that is stopped. After these times,
 * pstat warns and continues without the lock, so the caller must not rely on it.
 */
void share_lock__take(struct share_lock *lock);
void share_lock__release(struct share_lock *lock);

/* Tries to take the flock(2) of any file for @wait_ns. Returns 0 or -errno. */
int share_lock__flock_within(int fd, uint64_t wait_ns);

#endif
