/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * With -C, a run (scope.h) is counted only if its thread stays on the selected CPUs from the
 * beginning to the end of the run.
 */
#ifndef PSTAT_SCOPE_CPUS_BPF_H
#define PSTAT_SCOPE_CPUS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "scope.h"
#include "scope_params.bpf.h"

/* set before load; a bit mask of the CPUs in -C, used only if SCOPE_PARAM_SOME_CPUS is not 0 */
const volatile __u64 cpu_mask[SCOPE_MAX_CPUS / 64] = {};

static __always_inline bool is_other_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return !(cpu_mask[cpu / 64 % (SCOPE_MAX_CPUS / 64)] >> cpu % 64 & 1);
}

/* Called when a thread that has runs in progress gets a CPU. Only this function changes `moves`. */
static __always_inline void note_cpu(struct scope_task *t)
{
	if (HAS(SOME_CPUS) && is_other_cpu())
		t->moves++;
}

/*
 * With -C, called when the outermost run begins. Makes check_moves() ignore all earlier moves of
 * the thread.
 */
static __always_inline void forget_moves(struct scope_task *t)
{
	t->moves_seen = *(volatile __u32 *)&t->moves;
}

static __noinline int mark_moved(struct scope_task *t)
{
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++)
		t->runs[i].bad |= SCOPE_BAD_MOVED;
	return 0;
}

/*
 * Marks all runs in progress as moved if, since the previous call of check_moves() or
 * forget_moves(), the thread has run on a CPU that is not in -C.
 */
static __always_inline void check_moves(struct scope_task *t)
{
	__u32 moves;

	if (!HAS(SOME_CPUS))
		return;
	moves = *(volatile __u32 *)&t->moves;
	if (moves == t->moves_seen)
		return;
	mark_moved(t);
	t->moves_seen = moves;
}

#endif
