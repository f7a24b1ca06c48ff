/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a BPF program at sched_switch finds that the task that leaves is dead. */
#ifndef PSTAT_COUNT_TASK_STATE_H
#define PSTAT_COUNT_TASK_STATE_H

struct strbuf;
struct sysroots;

/*
 * Returns 0 and in *@offset the offset in bytes of the state (32 bits) in struct task_struct, or -1
 * if the tracepoint provides the state, as it does since Linux 5.18. Returns -errno if an older
 * kernel has no type information. Finding the offset takes some ms.
 */
int task_state__find(const struct sysroots *roots, int *offset, struct strbuf *why);

#endif
