/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs that count single tasks must know about tasks on this kernel. */
#ifndef PSTAT_COUNT_BPF_TASKS_H
#define PSTAT_COUNT_BPF_TASKS_H

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
 * Finds the PID namespace of the ids that pstat knows tasks by. *@ns is zero for the initial
 * namespace. BPF reports the ids of tasks in the namespace of pstat, or in the initial one, in
 * which every task has an id, and in no other: pstat warns if one of @threads (NULL: all tasks) is
 * in another namespace.
 */
void bpf_tasks__find_pid_ns(const struct sysroots *roots, const struct threadmap *threads,
			    struct pid_ns *ns);

#endif
