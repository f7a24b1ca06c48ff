// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts perf events by cgroup. Each cgroup that the user lists has a slot, with a row of counts
 * for each CPU. At a context switch between tasks of different slots, on_switch() reads the
 * counters of the CPU, and adds the changes since the last reading to the row of the outgoing
 * task's slot.
 *
 *	start		last = all counters
 *	switch A ─► A	nothing is read
 *	switch A ─► B	now = all counters; row[A] += now - last; last = now; B runs from here on
 *	flush		the same for row[running slot] (at each interval, at the end, after a move)
 *
 * A slice is the time between two consecutive readings of a CPU's counters. The counts of a slice
 * are charged to the slot of the task that was running when the slice began. When a running task is
 * moved to another cgroup, its CPU must be flushed. on_move() records the time of the move and
 * wakes user space, which flushes the CPU. The slice ends at this flush, or earlier if the task
 * loses the CPU. divide() then splits the counts of the slice at the recorded time. If the task
 * moves itself, no split is needed, because on_move() flushes the CPU immediately.
 *
 * cgroup_slot.bpf.h finds the slot, and cgroup_reading.bpf.h reads the counters and charges the
 * counts to the slot. This file decides when this happens.
 *
 * on_switch() always runs with interrupts off. on_move() runs with interrupts off if user space
 * starts it from another CPU. Otherwise, on_switch() or another run of on_move() can interrupt it.
 * The nested run finds `busy` set, and returns.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "cgroup_counter.h"
#include "cgroup_message.bpf.h"
#include "cgroup_reading.bpf.h"
#include "cgroup_slot.bpf.h"
#include "gate_points.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * Returns how long @task, the running task, has been on the CPU, in ns. At a context switch, the
 * running task is the outgoing task.
 */
static __always_inline __u64 time_since_arrival(struct task_struct *task)
{
	__u64 clock, arrival;

	if (!bpf_core_field_exists(task->sched_info))
		return BPF_CORE_READ(task, se.sum_exec_runtime) -
		       BPF_CORE_READ(task, se.prev_sum_exec_runtime);
	clock = BPF_CORE_READ(task, se.cfs_rq, rq, clock);
	arrival = BPF_CORE_READ(task, sched_info.last_arrival);
	/* last_arrival of the idle task is 0 */
	return arrival && arrival < clock ? clock - arrival : 0;
}

/*
 * Called on the CPU @id if the running task is not cpu->task, or is not in the cgroup of cpu->key.
 * @slot is the slot of the running task. Returns the time at which the task or cgroup changed, in
 * ns, or 0 if the time is not known.
 *
 * The change can have two causes. If both apply, the function returns the later time.
 * - The kernel did not report a context switch. The scheduler has recorded when the running task
 *   arrived on the CPU. The function also counts the switch.
 * - The task was moved to another cgroup, so its earlier counts do not belong to @slot. The kernel
 *   reports a move a little late, and can take the task off its CPU before the report. If it does,
 *   the function returns 0, because `moves` does not contain the move yet. The whole slice is then
 *   charged to cpu->slot. The error is small, because nearly the whole slice was before the move.
 */
__noinline __u64 find_turn(__u32 id, __u32 slot)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	__u64 *moved = bpf_map_lookup_elem(&moves, &process), *row, when, came;
	__u64 task = bpf_get_current_task();

	if (!cpu)
		return 0;
	when = moved && *moved > last_of(cpu)[CGROUP_CELL_TIME] ? *moved : 0;
	if (cpu->task == task)
		return when;
	cpu->unseen++;
	cpu->guessed += slot != cpu->slot;
	row = row_of(cpu->slot, id);
	if (row)
		row[CGROUP_CELL_SWITCHES]++;
	came = bpf_ktime_get_ns() - time_since_arrival((struct task_struct *)task);
	return came > when ? came : when;
}

/* The reason why run() is called. */
enum cause {
	SWITCHED,   /* a context switch */
	MOVED_SELF, /* the running task has just moved itself to another cgroup */
	SETTLED,    /* user space flushes the CPU, or the CPU goes offline or comes online */
};

/*
 * A task and its set of cgroups. If the cause is SWITCHED, the verifier treats the members as
 * pointers to kernel types; otherwise, as plain numbers.
 */
struct side {
	struct task_struct *task;
	struct css_set *set;
};

/*
 * If necessary, ends the slice of @left and begins a slice of @came. If @cause is SWITCHED, @left
 * and @came are different tasks. Otherwise, both are the running task.
 */
static __always_inline void run(struct cgroup_cpu *cpu, struct side left, struct side came,
				enum cause cause, __u32 id)
{
	bool typed = cause == SWITCHED;
	__u64 epoch = control.epoch, old, key, slot;
	struct cgroup *was, *cgroup;
	struct turn turn = {};
	__u32 want;

	/*
	 * The epoch has been read first: if anything that is read below changes later,
	 * control.epoch will differ from the value that this function stores in cpu->epoch.
	 */
	barrier();
	want = control.enabled;
	was = cgroup_of(left.set, typed);
	cgroup = cgroup_of(came.set, typed);
	old = key_of(was, typed);
	key = key_of(cgroup, typed);
	if (cpu->on && (cpu->task != (__u64)left.task || !is_same_group(cpu->key, old))) {
		turn.to = slot_of(cpu, was, old);
		turn.when = find_turn(id, turn.to);
		if (cause == MOVED_SELF)
			turn.when = 0; /* the whole slice was before the move */
	}
	cpu->task = (__u64)came.task;
	cpu->epoch = want * epoch;
	if (cause == SWITCHED) {
		cpu->switches++;
		cpu->crossed += old != key;
		if (cpu->key == key && old == key && cpu->on == want && !turn.when)
			return;
	}
	slot = slot_of(cpu, cgroup, key);
	cpu->key = key;
	if (cause == SWITCHED && cpu->slot == slot && cpu->on == want && !turn.when)
		return;
	turn_to(cpu, slot, want, turn, id);
}

static __always_inline void enter(struct cgroup_cpu *cpu, struct side left, struct side came,
				  enum cause cause, __u32 id)
{
	if (!cpu->on && !control.enabled)
		return;
	if (cpu->skip) {
		cpu->elsewhere += cpu->skip == CGROUP_SKIP_NO_EVENTS;
		return;
	}
	if (cpu->busy && !(gated && cpu->busy == CGROUP_AT_POINT)) {
		cpu->nested++;
		return;
	}
	cpu->busy = 1;
	cpu->set = (__u64)came.set;
	barrier();
	run(cpu, left, came, cause, id);
	barrier();
	cpu->busy = 0;
}

/*
 * Returns whether the slice of @left can continue with @came. Two tasks with the same css_set are
 * in the same cgroup. While the epoch (struct cgroup_control) is cpu->epoch, the tasks of the
 * css_set cpu->set still belong to the slot of the slice.
 */
static __always_inline bool goes_on(const struct cgroup_cpu *cpu, struct side left,
				    struct side came)
{
	__u64 set = cpu->set;

	return cpu->epoch == control.epoch && (__u64)left.set == set && (__u64)came.set == set &&
	       cpu->task == (__u64)left.task && !cpu->busy;
}

/*
 * Runs at tp_btf/sched_switch; user space sets the program type. The program dereferences each
 * pointer only once: at each access, the verifier searches the names of all kernel types, which
 * makes loading slower (see util/count/cgroup/NOTES.md). @ctx: preempt, prev, next, prev_state
 */
SEC("pstat_tp_btf")
int on_switch(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1],
			   *next = (struct task_struct *)ctx[2];
	struct side left = { task, task->cgroups }, came = { next, next->cgroups };
	__u32 id = bpf_get_smp_processor_id();
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);

	if (!cpu)
		return 0;
	if (goes_on(cpu, left, came)) {
		cpu->task = (__u64)next;
		cpu->switches++;
		return 0;
	}
	enter(cpu, left, came, SWITCHED, id);
	return 0;
}

/*
 * If ctx->args[2] of on_move() is below this value and not 0, it is a CPU state (enum cpuhp_state),
 * not the address of a task.
 */
#define MAX_CPU_STATE 4096

/*
 * Handles one of the steps in which the kernel takes a CPU offline or brings it online. @ctx: the
 * CPU, its target state, and the state of this step. Returns true if the step runs on the CPU
 * itself. The caller must then flush the CPU: if the CPU goes offline, everything must be counted
 * before the kernel removes the events. When a CPU comes online, the first steps run on another
 * CPU. The time until the last of these steps is not counted.
 */
static __always_inline bool take_step(const __u64 *ctx, __u32 id)
{
	__u32 which = (__u32)ctx[0], target = (__u32)ctx[1], state = (__u32)ctx[2];
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &which);

	if (!cpu)
		return false;
	if (which == id) {
		cpu->away = target < state;
		cpu->stale |= cpu->away;
	} else if (cpu->away && target >= state) {
		last_of(cpu)[CGROUP_CELL_TIME] = bpf_ktime_get_ns();
	}
	return which == id;
}

/*
 * Handles three cases, because loading one program takes less time than loading three:
 * - raw_tp/cgroup_attach_task, after a process or thread has been moved. @ctx: dst_cgrp, path,
 *   task, threadgroup
 * - raw_tp/cpuhp_enter, when a CPU goes offline or comes online. @ctx: CPU, target, state, function
 * - BPF_PROG_TEST_RUN, with which user space flushes a CPU. @ctx: zeros
 */
SEC("raw_tp")
int on_move(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *current = (struct task_struct *)bpf_get_current_task(),
			   *moved = (struct task_struct *)ctx->args[2];
	__u64 now = bpf_ktime_get_ns();
	__u32 process = 0, id = bpf_get_smp_processor_id();
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u8 *wakeup;

	if (!cpu)
		return 0;
	if (ctx->args[2] && ctx->args[2] < MAX_CPU_STATE) {
		if (!take_step(ctx->args, id))
			return 0;
		moved = 0;
	}
	if (moved) {
		process = BPF_CORE_READ(moved, tgid);
		bpf_map_update_elem(&moves, &process, &now, BPF_ANY);
		__sync_fetch_and_add(&control.epoch, 1);
	}
	if (!moved || process == bpf_get_current_pid_tgid() >> 32) {
		struct side side = { current, BPF_CORE_READ(current, cgroups) };

		enter(cpu, side, side, moved ? MOVED_SELF : SETTLED, id);
	}
	if (!moved || !control.enabled)
		return 0;
	wakeup = bpf_ringbuf_reserve(&wakeups, 8, 0);
	if (wakeup)
		/*
		 * Several sessions can wait on this ring. Without BPF_RB_FORCE_WAKEUP, the kernel
		 * would wake them only if user space had consumed all earlier messages.
		 */
		bpf_ringbuf_submit(wakeup, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/*
 * Runs at the points of --start and --stop. If the point changes the gate, ends the current slice
 * of this CPU, and opens or closes the gate. The thread that passes the point need not be in a
 * listed cgroup.
 */
static __noinline int pass_point(bool stop)
{
	if (!gate_changes(stop) || !gate_lock())
		return 0;
	if (gate_changes(stop))
		gate_turn(stop, cut_slice(bpf_get_smp_processor_id()));
	gate_unlock();
	return 0;
}

/*
 * Runs at raw_tp/cgroup_mkdir, before a task can be in the new cgroup. Handles only cgroups below
 * the mounted cgroup (root_id). If a slot is free, assigns it to the cgroup. Then reports the
 * cgroup, with or without a slot, to user space. @ctx: cgrp, path
 */
SEC("raw_tp")
int on_mkdir(struct bpf_raw_tracepoint_args *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx->args[0];
	__u32 slot = 0, levels = levels_of(cgroup);
	__u64 id;

	if (!levels)
		return 0;
	id = BPF_CORE_READ(cgroup, kn, id);
	if (bpf_map_pop_elem(&reserve, &slot) || bpf_map_update_elem(&slots, &id, &slot, BPF_ANY))
		slot = 0;
	send_message(cgroup, (const void *)ctx->args[1], slot, false, levels);
	return 0;
}

/*
 * Runs at raw_tp/cgroup_rmdir. If the cgroup was below the mounted cgroup, reports its removal to
 * user space. @ctx: cgrp, path
 */
SEC("raw_tp")
int on_rmdir(struct bpf_raw_tracepoint_args *ctx)
{
	struct cgroup *cgroup = (struct cgroup *)ctx->args[0];
	__u32 levels = levels_of(cgroup);

	if (levels)
		send_message(cgroup, (const void *)ctx->args[1], 0, true, levels);
	return 0;
}
