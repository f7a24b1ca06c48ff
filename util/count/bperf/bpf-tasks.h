/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts that determine how BPF programs can count individual tasks: properties of the running
 * kernel, and pstat's PID namespace.
 */
#ifndef PSTAT_COUNT_BPF_TASKS_H
#define PSTAT_COUNT_BPF_TASKS_H

#include <stdbool.h>

struct pid_ns;
struct strbuf;
struct sysroots;
struct threadmap;

/*
 * Finds out where a BPF program at sched_switch can read the outgoing task's state, which shows
 * whether the task is dead. Sets *@offset to -1 if the state is an argument of the tracepoint
 * (since Linux 5.18). Otherwise, sets *@offset to the offset in bytes of the state (32 bits) in
 * struct task_struct. Finding the offset takes a few ms, and fails if the kernel has no BTF.
 * Returns 0; -ENOMEM without a reason; or another -errno with the reason in @why.
 */
int bpf_tasks__find_state(const struct sysroots *roots, int *offset, struct strbuf *why);

/*
 * Returns whether a task can be preempted while it runs a BPF program at a tracepoint. This is
 * possible in Linux 7.0 and later, whose tracepoints use SRCU and do not disable preemption
 * (__DECLARE_TRACE() in include/linux/tracepoint.h). Until the preempted task has finished the
 * program, the kernel skips this program for all other tasks on the same CPU. If the preempted
 * program has marked the leader's state as busy (BPERF_BUSY), the leader also takes no readings on
 * this CPU. Programs at kprobes are never preempted, and neither are programs at the tracepoint
 * sched_wakeup_new, where interrupts are disabled. See "Skipped programs" in NOTES.md. Checks the
 * kernel version, because no probe can find out whether tasks can be preempted at tracepoints.
 */
bool bpf_tasks__can_be_preempted(void);

/*
 * Returns whether the kernel calls the tracepoint sched_process_exit right before
 * perf_event_exit_task(), in which it stops counting an exiting task. This is so in Linux 6.16 and
 * later. Older kernels call the tracepoint at another time, after they have freed the task's memory
 * (exit_mm()). Checks the kernel version, because no probe can find out where the kernel calls a
 * tracepoint.
 */
bool bpf_tasks__exits_come_in_time(void);

/*
 * Returns whether a program at the tracepoint sched_process_exit can end the count of a task
 * exactly. For this, the kernel must call the tracepoint in time, and must not be able to preempt
 * the task there.
 */
bool bpf_tasks__can_end_at_tracepoint(void);

/*
 * Finds pstat's PID namespace. The BPF programs use the ids that the counted tasks have in this
 * namespace. Sets *@ns to zero (which stands for the initial namespace) if pstat is in the initial
 * namespace, or if its namespace cannot be read. In the latter case, warns if @threads is not NULL.
 * If *@ns is not zero, warns if any of @threads is in another namespace, because BPF programs
 * cannot find the id of such a thread. @threads is NULL if all tasks are counted.
 */
void bpf_tasks__find_pid_ns(const struct sysroots *roots, const struct threadmap *threads,
			    struct pid_ns *ns);

#endif
