/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A leader of shared counters that this process follows for its own threads: each thread can ask
 * for its count up to now. The leader stays as long as the struct bperf_self exists, even after the
 * struct bperf_leader from which it was made is closed.
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
 * Follows @leader, whose events are read as @plan[] describes, for the calling process. Returns
 * without a reason: -EUSERS if @leader already has all followers that the kernel allows, and
 * -EOPNOTSUPP without trampolines.
 */
int bperf_self__follow(const struct bperf_leader *leader, const struct bperf_plan *plan,
		       struct bperf_self **self, struct strbuf *why);
/* Frees it. May be NULL. */
void bperf_self__close(struct bperf_self *self);
/* Only closes its fds. For a child that was forked while other threads held locks. */
void bperf_self__let_go(struct bperf_self *self);

/* Returns whether event @row of the leader can be asked for. */
bool bperf_self__has(const struct bperf_self *self, int row);

/*
 * Reads the count of event @row of the calling thread since some moment before its first call. No
 * other thread may use its slot, which is below BPERF_SELF_THREADS. Makes one system call, or one
 * more if a signal handler calls this function in between. Takes no locks and allocates no memory,
 * so signal handlers may call it. Returns 0; -ESTALE in another process; -ENODATA if the event
 * cannot be read on this CPU; -EBUSY if readings of other sessions disturbed every attempt;
 * -ENOMEM; or the error of the system call.
 */
int bperf_self__look(const struct bperf_self *self, int slot, int row, struct reading *to);

#endif
