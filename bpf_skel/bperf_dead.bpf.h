/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last switch of a task, for the programs that know tasks by the address of their task_struct, which is another one's from there on.
 */
#ifndef PSTAT_BPERF_DEAD_BPF_H
#define PSTAT_BPERF_DEAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define TASK_DEAD 0x80
#define SWITCH_ARG_STATE 3 /* of sched_switch: preempt, prev, next, from Linux 5.18 on prev_state */

/* Set before load: where struct task_struct has the state, if the tracepoint does not tell it; else -1 (util/count/bperf/task-state.h). */
const volatile __s32 task_state_offset = -1;

/* Is the running task, which is being switched away from, not switched to again? No wakeup changes a dead task's state. @args: of sched_switch. */
static __always_inline bool is_dead(const __u64 *args)
{
	__u32 state = 0;

	if (task_state_offset >= 0)
		bpf_probe_read_kernel(&state, sizeof(state),
				      (const void *)(bpf_get_current_task() + (__u32)task_state_offset));
	else
		bpf_probe_read_kernel(&state, sizeof(state), &args[SWITCH_ARG_STATE]);
	return state & TASK_DEAD;
}

#endif
