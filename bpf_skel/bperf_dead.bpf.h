/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects the last context switch of a task. Some programs identify tasks by the address of their
 * task_struct, and the kernel can reuse this address after that switch.
 */
#ifndef PSTAT_BPERF_DEAD_BPF_H
#define PSTAT_BPERF_DEAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define TASK_DEAD 0x80
/* sched_switch has preempt, prev, next and, since Linux 5.18, prev_state */
#define SWITCH_ARG_STATE 3

/*
 * Set before load: the offset of the state in struct task_struct, or -1 if the tracepoint passes
 * the state as an argument. See util/count/bperf/bpf-tasks.h.
 */
const volatile __s32 task_state_offset = -1;

/*
 * Returns whether the task that leaves the CPU is dead. A dead task never runs again, so its state
 * does not change any more. @args: the arguments of sched_switch.
 */
static __always_inline bool is_dead(const __u64 *args)
{
	__u32 state = 0;

	if (task_state_offset >= 0)
		bpf_probe_read_kernel(
			&state, sizeof(state),
			(const void *)(bpf_get_current_task() + (__u32)task_state_offset));
	else
		bpf_probe_read_kernel(&state, sizeof(state), &args[SWITCH_ARG_STATE]);
	return state & TASK_DEAD;
}

#endif
