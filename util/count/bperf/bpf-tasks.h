/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs that count single tasks must know about tasks on this kernel. */
#ifndef PSTAT_COUNT_BPF_TASKS_H
#define PSTAT_COUNT_BPF_TASKS_H

#include <stdbool.h>

struct pid_ns;
struct strbuf;
struct sysroots;
struct threadmap;

/*
 * Finds how a BPF program at sched_switch can see that the task that leaves is dead. Returns 0 and
 * in *@offset the offset in bytes of the state (32 bits) in struct task_struct, or -1 if the
 * tracepoint provides the state, as it does since Linux 5.18. Returns -errno if an older kernel has
 * no type information. Finding the offset takes some ms.
 */
int bpf_tasks__find_state(const struct sysroots *roots, int *offset, struct strbuf *why);

/*
 * Returns whether tasks can be preempted within programs at tracepoints, as they can since Linux
 * 7.0. For other tasks on that CPU, the kernel skips the program meanwhile, and the leader's
 * counters cannot be read. kprobes and sched_wakeup_new disable preemption. See "Skipped programs"
 * in NOTES.md.
 */
bool bpf_tasks__can_be_preempted(void);

/*
 * Returns whether a program at the tracepoint sched_process_exit sees the end of a task where the
 * kernel ends counting. Since Linux 6.16, the tracepoint is right before that place. Before, it is
 * after the place where the task's memory is freed. This cannot be probed, because the place of the
 * tracepoint in do_exit() affects nothing but counts. If a vendor has moved it in an older kernel,
 * the kprobe gives correct counts, too.
 */
bool bpf_tasks__exits_come_in_time(void);

/*
 * Finds the PID namespace of the ids that pstat knows tasks by. *@ns is zero for the initial
 * namespace. BPF reports the ids of tasks in the namespace of pstat, or in the initial one, in
 * which every task has an id, and in no other: pstat warns if one of @threads (NULL: all tasks) is
 * in another namespace.
 */
void bpf_tasks__find_pid_ns(const struct sysroots *roots, const struct threadmap *threads,
			    struct pid_ns *ns);

#endif
