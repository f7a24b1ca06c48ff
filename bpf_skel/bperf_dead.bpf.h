/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects the last context switch of a task. After this switch, the kernel can reuse the address of
 * the task_struct. A program that identifies tasks by this address must therefore remove the task
 * from its map at this switch.
 */
#ifndef PSTAT_BPERF_DEAD_BPF_H
#define PSTAT_BPERF_DEAD_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define TASK_DEAD 0x80
/* the index of the argument prev_state, which Linux 5.18 added after preempt, prev and next */
#define SWITCH_ARG_STATE 3

/*
 * Set before load: the offset of the state in struct task_struct, or -1 if the tracepoint
 * sched_switch passes the state as an argument. See util/count/bperf/bpf-tasks.h.
 */
const volatile __s32 task_state_offset = -1;

/*
 * Returns whether the task that leaves the CPU is dead. If this function reads the state from the
 * task itself, another CPU may change the state at the same time. This does no harm, because the
 * state of a dead task no longer changes. @args: the arguments of sched_switch.
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
