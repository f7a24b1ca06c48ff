/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts about tasks on this kernel that BPF programs need in order to count single tasks. */
#ifndef PSTAT_COUNT_BPF_TASKS_H
#define PSTAT_COUNT_BPF_TASKS_H

#include <stdbool.h>

struct pid_ns;
struct strbuf;
struct sysroots;
struct threadmap;

/*
 * Finds how a BPF program at sched_switch can find out that the task that leaves the CPU is dead.
 * Returns 0 and *@offset: the offset in bytes of the state (32 bits) in struct task_struct, or -1
 * if the tracepoint passes the state, as it does since Linux 5.18. Returns -errno if an older
 * kernel has no type information. Finding the offset takes a few ms.
 */
int bpf_tasks__find_state(const struct sysroots *roots, int *offset, struct strbuf *why);

/*
 * Can a task be preempted while it runs a program at a tracepoint? This is possible since Linux
 * 7.0. Until the task runs again, the kernel skips the program for all other tasks on this CPU, and
 * the counters of the leader cannot be read. kprobes and sched_wakeup_new disable preemption. See
 * "Skipped programs" in NOTES.md.
 */
bool bpf_tasks__can_be_preempted(void);

/*
 * Is the tracepoint sched_process_exit close to the place where the kernel stops counting a task?
 * Since Linux 6.16, it is right before this place. In older kernels, it is after the place where
 * the kernel frees the task's memory. A probe cannot find this out, because the place of the
 * tracepoint in do_exit() affects only counts. If a vendor has moved it in an older kernel, the
 * kprobe gives correct counts, too.
 */
bool bpf_tasks__exits_come_in_time(void);

/*
 * Finds the PID namespace in which pstat's ids of tasks are valid. *@ns is zero for the initial
 * namespace. BPF programs know the id of a task only in pstat's namespace or in the initial
 * namespace, where each task has an id. pstat warns if one of @threads (NULL: all tasks) is in
 * another namespace.
 */
void bpf_tasks__find_pid_ns(const struct sysroots *roots, const struct threadmap *threads,
			    struct pid_ns *ns);

#endif
