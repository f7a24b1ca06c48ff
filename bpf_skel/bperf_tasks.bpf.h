/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that bperf_follower.bpf.c and bperf_alone.bpf.c share. This code adds up the counts of
 * the members (bperf_members.bpf.h), the tasks that a session counts.
 *
 * The counting of a task can begin or end within a slice (the time between two consecutive readings
 * on a CPU). If counting begins at the task's exec, the follower adds the counts of the whole slice
 * at the next reading. So a program that runs at the exec subtracts from the task's totals what has
 * been counted since the last reading. Where the kernel stops counting an exiting task, another
 * program adds the counts since the last reading. From then on, the follower adds nothing for this
 * task.
 *
 * If BPERF_GATED is defined, the programs in this file can be used with --start and --stop.
 */
#ifndef PSTAT_BPERF_TASKS_BPF_H
#define PSTAT_BPERF_TASKS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bperf.h"
#include "bperf_dead.bpf.h"
#include "bperf_members.bpf.h"
#include "bperf_read.bpf.h"
#include "bperf_source.bpf.h"
#include "bperf_totals.bpf.h"
#ifdef BPERF_GATED
#include "bperf_gate.bpf.h"
#else
#include "bperf_ungated.bpf.h"
#endif

/* ---- set before load ---- */
/*
 * true: `source` is the state of a leader that pstat made; false: it is the diff map of a leader
 * that another tool made
 */
const volatile bool of_pstat = true;
const volatile bool inherit = false;	   /* children of members become members */
const volatile bool only_switches = false; /* all events count context switches */
/*
 * Written by user space. A difference is counted if the earlier of its two readings was taken at or
 * after `on_ns` and before `off_ns` (CLOCK_MONOTONIC). User space takes a reading on each CPU at
 * the start and at the end of counting, so that the counts are exact. Leaders of other tools store
 * no times, so followers of these leaders use `enabled` instead.
 */
volatile __u64 on_ns = 0, off_ns = 0;
volatile __u32 enabled = 0;
/* Number of tasks that are not counted, because the maps of members were full. */
volatile __u64 lost = 0;

/* 0 → struct bperf_cpu. Only BPF programs use this map. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/* ---- adding up ---- */

static __always_inline void add_diffs(__u32 slot, const struct bpf_perf_event_value *diffs,
				      bool is_switch)
{
	struct bpf_perf_event_value *sum = totals_of(slot);

	if (!sum)
		return;
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *diff = &diffs[plan[i].row];

		sum[i].counter += plan[i].how == BPERF_SWITCHES ? is_switch : diff->counter;
		sum[i].enabled += diff->enabled;
		sum[i].running += diff->running;
	}
}

/* Returns whether to count a difference whose earlier reading was taken at @time. */
static __always_inline bool counts_from(__u64 time)
{
	/*
	 * user space writes off_ns last, so reading off_ns first guarantees that on_ns is at least
	 * as new
	 */
	__u64 off = off_ns;

	barrier();
	return time < off && time >= on_ns;
}

/*
 * If @counts is true and no flag of @member is set, adds @diffs, the differences between the last
 * two readings, to the counts of @member. If the task of @member is dead, removes the task from the
 * members. @args: the tracepoint's arguments if the reading was at a context switch, otherwise
 * NULL.
 *
 * The last context switch of a task is not counted as a switch. At this switch, the task is removed
 * from the members, because otherwise the next task at its address would become a member. The
 * program at a task's exit, which calls end_current(), cannot remove the task instead, because the
 * kernel may skip this program. If so, the whole last slice of the task is counted.
 */
static __always_inline void follow_member(struct bperf_member *member, const __u64 *args,
					  const struct bpf_perf_event_value *diffs, bool counts)
{
	bool is_last = args && is_dead(args);

	if (!member->flags && counts)
		add_diffs(member->slot, diffs, args && !is_last);
	if (is_last)
		drop_current();
}

/*
 * Returns @time if @busy is 0, otherwise a time so late that counts_from() returns false. The
 * function contains no branch, because the verifier would examine all code after a branch twice.
 */
static __always_inline __u64 unless_busy(__u64 time, __u32 busy)
{
	return time | -(__u64)((busy + BPERF_HELD + BPERF_BUSY) / (BPERF_HELD + BPERF_BUSY + 1));
}

/*
 * Calls follow_member() after a run of a leader that pstat made. @busy: the leader's `busy` before
 * this run. If @busy is not 0, the leader took no reading, and this function only checks whether
 * the task has ended.
 */
static __always_inline void follow_state(struct bperf_state *s, struct bperf_member *member,
					 const __u64 *args, __u32 busy)
{
	follow_member(member, args, state_row(s, BPERF_ROW_DIFFS, nr_rows),
		      counts_from(unless_busy(s->before, busy)));
}

/* ---- counting of a task begins or ends between two readings ---- */

/*
 * Adds the counts of the running task since the last reading to the totals of @slot. If @take_off
 * is set, subtracts the counts instead. For events that are never multiplexed, the enabled and
 * running times are the time since that reading. @share: with `gated`, the result of
 * share_until_now().
 */
static __always_inline void add_part(const struct bperf_state *s, __u32 slot, bool take_off,
				     __u64 share)
{
	struct bpf_perf_event_value *sum = totals_of(slot), now;
	const struct bpf_perf_event_value *last;
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	__u64 elapsed = of_pstat ? bpf_ktime_get_ns() - s->time : 0;

	last = of_pstat ? state_row((struct bperf_state *)s, BPERF_ROW_TOTALS, nr_rows) :
			  bpf_map_lookup_elem(&before, &zero);
	if (!sum || !last)
		return;
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *base = &last[plan[i].row];

		if (plan[i].how < BPERF_VALUE) {
			now.counter = plan[i].how == BPERF_CLOCK ? elapsed : 0;
			now.enabled = now.running = elapsed;
		} else {
			/* an event that cannot be read keeps its last value */
			if (bpf_perf_event_read_value(&events, plan[i].row * nr_cpus + cpu, &now,
						      sizeof(now)))
				now = *base;
			now.counter -= base->counter;
			now.enabled = plan[i].how == BPERF_VALUE ? elapsed :
								   now.enabled - base->enabled;
			now.running = plan[i].how == BPERF_VALUE ? elapsed :
								   now.running - base->running;
		}
		if (gated) {
			now.counter = gate_scale(now.counter, share);
			now.enabled = gate_scale(now.enabled, share);
			now.running = gate_scale(now.running, share);
		}
		sum[i].counter += take_off ? -now.counter : now.counter;
		sum[i].enabled += take_off ? -now.enabled : now.enabled;
		sum[i].running += take_off ? -now.running : now.running;
	}
}

/* Returns whether the current slice is counted. */
static __always_inline bool is_on(const struct bperf_state *s)
{
	struct bperf_cpu *cpu;
	__u32 zero = 0;

	/*
	 * while user space replaces the counters of this CPU (BPERF_HELD in `busy`), the values of
	 * the counters do not belong to the slice
	 */
	if (of_pstat)
		return counts_from(unless_busy(s->time, s->busy));
	cpu = bpf_map_lookup_elem(&cpus, &zero);
	return cpu && cpu->on;
}

/*
 * Calls add_part() if the current slice is counted. If pstat made the leader, sets `busy` during
 * the call, so that no run of the leader takes a reading. If `only_switches` is set, add_part()
 * reads no events, so `busy` is not needed, and would do harm: if the task were preempted in this
 * program, no switches would be counted on the CPU until the task ran again.
 */
static __always_inline void add_part_alone(__u32 slot, bool take_off)
{
	__u64 share = GATE_WHOLE;
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s)
		return;
	if (gated)
		share = share_until_now(s);
	if (gated ? !share : !is_on(s))
		return;
	if (of_pstat && !only_switches)
		s->busy = BPERF_BUSY;
	barrier();
	add_part(s, slot, take_off, share);
	barrier();
	if (of_pstat && !only_switches)
		s->busy = 0;
}

/*
 * Handles two tracepoints, because loading one program takes less time than loading two:
 * - task_newtask (child, flags): with `inherit`, adds the child of a member to the members. The
 *   parent is running, and the child has not run yet.
 * - task_rename (task, new name): begins to count a member that waits for its exec. At an exec, the
 *   kernel calls this tracepoint right after it has enabled the events that have enable_on_exec.
 *
 * The second argument shows which tracepoint called the program: the new name is passed as a kernel
 * address, whose highest bit is set. The highest bit of the flags is clear.
 */
SEC("raw_tp")
int on_task(struct bpf_raw_tracepoint_args *ctx)
{
	bool is_rename = (__s64)ctx->args[1] < 0;
	struct bperf_member *member, begun = {};

	/* a task can also rename another task */
	if (is_rename && ctx->args[0] != bpf_get_current_task())
		return 0;
	member = current_member();
	if (!member ||
	    (is_rename ? !(from_exec && (member->flags & BPERF_MEMBER_WAITS)) : !inherit))
		return 0;
	begun.slot = member->slot;
	if (is_rename)
		add_part_alone(begun.slot, true);
	/*
	 * adds the child or, at an exec, the current task, whose entry in `by_id` is not used from
	 * then on
	 */
	if (add_member(ctx->args[0], &begun))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

/*
 * Runs at sched_wakeup_new. If the parent is a member, makes the child (the first argument in @ctx)
 * a member. Replaces on_task() at task_newtask on kernels that can preempt a task while it runs a
 * BPF program at a tracepoint. Until the preempted task has finished the program, such a kernel
 * skips the program for all other tasks on the same CPU. At sched_wakeup_new, the parent cannot be
 * preempted, because interrupts are off.
 */
SEC("raw_tp")
int on_new_task(struct bpf_raw_tracepoint_args *ctx)
{
	struct bperf_member *member = current_member(), begun = {};

	if (!member)
		return 0;
	begun.slot = member->slot;
	if (add_member(ctx->args[0], &begun))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

static __always_inline int end_current(void)
{
	struct bperf_member *member = from_exec ? find_member(bpf_get_current_task()) :
						  current_member();
	bool counts;

	if (!member || (member->flags & BPERF_MEMBER_GONE))
		return 0;
	counts = !member->flags;
	/* from here on, if this task is preempted, its switch is not counted */
	if (only_switches)
		member->flags |= BPERF_MEMBER_GONE;
	barrier();
	if (counts)
		add_part_alone(member->slot, false);
	member->flags |= BPERF_MEMBER_GONE;
	return 0;
}

/*
 * Runs where the kernel stops counting an exiting task. Adds the task's counts since the last
 * reading.
 */
SEC("kprobe/perf_event_exit_task")
int on_exit_exact(void *ctx)
{
	(void)ctx;
	return end_current();
}

/*
 * Used instead of on_exit_exact() if bpf_tasks__can_end_at_tracepoint() (bpf-tasks.h) returns true,
 * or if the kprobe cannot be opened. With `only_switches`, on_exit_exact() is never used, and this
 * program is used only if bpf_tasks__exits_come_in_time() returns true. In Linux 6.16 and later,
 * the kernel calls sched_process_exit right before it stops counting the task. Older kernels call
 * the tracepoint after they have freed the task's memory, so the count also includes this work.
 */
SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	(void)ctx;
	return end_current();
}

#endif
