/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up, for each thread of the calling process, the counts that a leader of shared counters
 * (bperf-leader.h) reads, so that each thread can read its own current count of an event. A struct
 * bperf_self keeps the leader alive even after the struct bperf_leader is closed.
 */
#ifndef PSTAT_COUNT_BPERF_SELF_H
#define PSTAT_COUNT_BPERF_SELF_H

#include <stdbool.h>
#include <stdint.h>

struct bperf_leader;
struct bperf_plan;
struct bperf_self;
struct reading;
struct strbuf;

/*
 * Loads and attaches a BPF program that follows @leader, that is, runs after each reading that
 * @leader takes. @plan[] describes how to read each of the first BPERF_MAX_SHARED events of @leader
 * (or all of them, if there are fewer). Returns 0, or -errno with the reason in @why. For two
 * errors, @why stays empty: -EUSERS means that @leader cannot have more followers, and -EOPNOTSUPP
 * means that the kernel does not support followers.
 */
int bperf_self__follow(const struct bperf_leader *leader, const struct bperf_plan *plan,
		       struct bperf_self **self, struct strbuf *why);
/* Closes and frees @self, which may be NULL. */
void bperf_self__close(struct bperf_self *self);
/*
 * Closes only the fds of @self, and frees no memory. For use in the child after fork(2): another
 * thread of the parent may have held the allocator's lock at the fork, so the child must not free
 * memory.
 */
void bperf_self__close_fds(struct bperf_self *self);

/* Returns whether bperf_self__look() can read the event with index @row in the leader. */
bool bperf_self__has(const struct bperf_self *self, int row);

/*
 * Stores in *@to the calling thread's count of the event with index @row in the leader. The count
 * starts from zero at the leader's last reading before the thread's first call, so only the
 * difference between two counts is meaningful. @slot must be less than BPERF_SELF_THREADS, and no
 * other thread may use the same slot. This function makes one system call. If a signal handler
 * interrupts this function and also calls it, there are more system calls. The function takes no
 * locks and allocates no memory, so signal handlers may call it.
 *
 * Returns 0; -ESTALE after bperf_self__close_fds(), or if another process was the first to call
 * this function with @self; -ENODATA if the event cannot be read on this CPU; -EBUSY if readings of
 * other sessions disturbed every attempt of the BPF program to read the event; -ENOMEM if the BPF
 * maps have no room for another thread; or another -errno from the system call.
 */
int bperf_self__look(const struct bperf_self *self, int slot, int row, struct reading *to);

#endif
