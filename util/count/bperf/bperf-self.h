/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A leader of shared counters, followed by this process for its own threads: each of them can ask what it has counted up to now. The leader stays
 * as long as this does, and this stays when the struct bperf_leader it was made with is closed.
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
 * Follows @leader, whose events are read as @plan[] says, for the process that calls. Without a reason: -EUSERS when @leader has all followers
 * that the kernel lets it have, and -EOPNOTSUPP without trampolines.
 */
int bperf_self__follow(const struct bperf_leader *leader, const struct bperf_plan *plan, struct bperf_self **self,
		       struct strbuf *why);
/* NULL is fine. */
void bperf_self__close(struct bperf_self *self);
/* Closes its fds alone, as a child may that was forked with other threads' locks held. */
void bperf_self__let_go(struct bperf_self *self);

/* Can event @row of the leader be asked for? */
bool bperf_self__has(const struct bperf_self *self, int row);

/*
 * What the calling thread, whose slot (below BPERF_SELF_THREADS) no other thread has, counted of event @row, since some moment before its first
 * call. One system call, or another one when a signal handler's comes in between; takes no locks and no memory, so that handlers may. 0;
 * -ESTALE in another process, -ENODATA where the event cannot be read on this CPU, -EBUSY when others' readings came in between each
 * time, -ENOMEM, or what the system call gave.
 */
int bperf_self__look(const struct bperf_self *self, int slot, int row, struct reading *to);

#endif
