/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A leader of shared counters that the calling process follows for its own threads: each thread can
 * read its current count. The leader exists as long as the struct bperf_self, even after the struct
 * bperf_leader from which it was made is closed.
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
 * Follows @leader for the calling process. @plan[] describes how its events are read. Returns
 * without a reason: -EUSERS if the kernel does not allow more followers of @leader, and -EOPNOTSUPP
 * if it does not support trampolines.
 */
int bperf_self__follow(const struct bperf_leader *leader, const struct bperf_plan *plan,
		       struct bperf_self **self, struct strbuf *why);
/* Closes and frees @self, which may be NULL. */
void bperf_self__close(struct bperf_self *self);
/* Only closes the fds of @self: for a child that was forked while other threads held locks. */
void bperf_self__close_fds(struct bperf_self *self);

/* Returns whether event @row of the leader can be read. */
bool bperf_self__has(const struct bperf_self *self, int row);

/*
 * Reads the count of event @row of the calling thread, from some moment before the thread's first
 * call until now. @slot is less than BPERF_SELF_THREADS, and no other thread may use it. Makes one
 * system call, or two if a signal handler also calls this function in the meantime. Takes no locks
 * and allocates no memory, so signal handlers may call it. Returns 0; -ESTALE in another process;
 * -ENODATA if the event cannot be read on this CPU; -EBUSY if readings of other sessions disturbed
 * every attempt; -ENOMEM; or the error of the system call.
 */
int bperf_self__look(const struct bperf_self *self, int slot, int row, struct reading *to);

#endif
