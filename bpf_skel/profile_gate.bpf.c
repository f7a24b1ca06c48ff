// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs at the points of `pstat profile --start` and `--stop`. The sampling programs
 * (profile.bpf.c) are in other objects, with which this object shares the map of the variable
 * `gate` (gate.h). If only some tasks are sampled (the members, see bperf_members.bpf.h), only
 * these tasks can open or close the gate.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf_members.bpf.h"
#include "gate.bpf.h"
#include "gate_points.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile bool everybody = false; /* all tasks can open or close the gate; set before load */

static __noinline int pass_point(bool stop)
{
	struct bperf_member *member;

	if (!gate_changes(stop))
		return 0;
	if (!everybody) {
		member = current_member();
		if (!member || member->flags)
			return 0;
	}
	if (!gate_lock())
		return 0;
	if (gate_changes(stop))
		gate_turn(stop, bpf_ktime_get_ns());
	gate_unlock();
	return 0;
}

/*
 * Runs at sched_wakeup_new, in the parent, before the child runs for the first time. If the parent
 * is a member that can open and close the gate, makes the child a member. @ctx: child
 */
SEC("raw_tp")
int on_new_task(struct bpf_raw_tracepoint_args *ctx)
{
	struct bperf_member begun = {};
	struct bperf_member *parent = current_member();

	if (parent && !parent->flags)
		add_member(ctx->args[0], &begun);
	return 0;
}

/*
 * Runs at task_rename. If a member waits for its exec (BPERF_MEMBER_WAITS), execve(2) is the first
 * to rename it. From then on, the member can open and close the gate. @ctx: task, new name
 */
SEC("raw_tp")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct bperf_member begun = {};
	struct bperf_member *member;

	/* a task can also rename another task */
	if (ctx->args[0] != bpf_get_current_task())
		return 0;
	member = current_member();
	if (member && (member->flags & BPERF_MEMBER_WAITS))
		add_member(ctx->args[0], &begun);
	return 0;
}

/*
 * Removes the exiting task from the maps, because the kernel can reuse its address and id after the
 * exit.
 */
SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid;

	(void)ctx;
	drop_current();
	if (pending && find_named(&tid) && !bpf_map_delete_elem(&by_id, &tid))
		__sync_fetch_and_add(&pending, -1);
	return 0;
}
