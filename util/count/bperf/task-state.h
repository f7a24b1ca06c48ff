/* SPDX-License-Identifier: GPL-2.0-only */
/* By what a BPF program at sched_switch sees that the task that goes is dead. */
#ifndef PSTAT_COUNT_TASK_STATE_H
#define PSTAT_COUNT_TASK_STATE_H

struct strbuf;
struct sysroots;

/*
 * 0 and in *@offset where struct task_struct has the state (32 bits of it), in bytes; -1 where the tracepoint tells it, which is so from Linux
 * 5.18 on. -errno where an older kernel does not tell of its types, which takes it some ms to do.
 */
int task_state__find(const struct sysroots *roots, int *offset, struct strbuf *why);

#endif
