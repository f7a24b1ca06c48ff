/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs at the two tracepoints through which each system call passes. */
#ifndef PSTAT_SCOPE_SYSCALLS_BPF_H
#define PSTAT_SCOPE_SYSCALLS_BPF_H

#include "scope_runs.bpf.h"

#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct thread_info {
	unsigned long flags;
	__u32 status; /* x86-64 */
};

struct task_struct {
	struct thread_info thread_info;
};

struct pt_regs___arm64 {
	__s32 syscallno;
};
#pragma clang attribute pop

/* set before load: the return of a system call can be one of the two points of a scope */
const volatile __u32 syscall_points = 0;

/* number of a system call → its points. Written by user space, read here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_syscall));
	__uint(max_entries, SCOPE_SYSCALLS);
} syscalls SEC(".maps");

/*
 * Is this a system call of a 32-bit program? The same number then stands for another system call.
 */
static __always_inline bool is_compat(void)
{
	const struct thread_info *info = &bpf_get_current_task_btf()->thread_info;

#ifdef __TARGET_ARCH_arm64
	return info->flags & 1UL << 22; /* TIF_32BIT */
#else
	return info->status & 2; /* TS_COMPAT */
#endif
}

SEC("raw_tp/sys_enter")
int pstat_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	const struct scope_syscall *call;
	__u32 nr = ctx->args[1];

	call = bpf_map_lookup_elem(&syscalls, &nr);
	if (!call || is_compat())
		return 0;
	if (call->cookies[SCOPE_END_AT_ENTRY])
		end(call->cookies[SCOPE_END_AT_ENTRY], SCOPE_SP_POINTS, IN_USER);
	if (call->cookies[SCOPE_BEGIN_AT_ENTRY])
		begin(call->cookies[SCOPE_BEGIN_AT_ENTRY],
		      SCOPE_COOKIE_AT_RETURN(call->cookies[SCOPE_BEGIN_AT_ENTRY]) ?
			      SCOPE_SP_SYSCALL :
			      SCOPE_SP_POINTS,
		      IN_USER);
	return 0;
}

/*
 * The number of the returning system call in the registers may be wrong: rt_sigreturn(2) overwrites
 * it.
 */
static __always_inline __u32 number_of(__u64 regs)
{
#ifdef __TARGET_ARCH_arm64
	return BPF_CORE_READ((const struct pt_regs___arm64 *)regs, syscallno);
#else
	__u64 nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr), &((const struct pt_regs *)regs)->orig_ax);
	return nr;
#endif
}

SEC("raw_tp/sys_exit")
int pstat_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct scope_task *t = this_thread();
	const struct scope_syscall *call;
	__u32 nr;

	if (t && t->in_syscall) {
		t->in_syscall = 0;
		end_in(t, 0, SCOPE_SP_SYSCALL, NULL, IN_USER);
	}
	if (!syscall_points)
		return 0;
	nr = number_of(ctx->args[0]);
	call = bpf_map_lookup_elem(&syscalls, &nr);
	if (!call || is_compat())
		return 0;
	if (call->cookies[SCOPE_END_AT_RETURN])
		end(call->cookies[SCOPE_END_AT_RETURN], SCOPE_SP_POINTS, IN_USER);
	if (call->cookies[SCOPE_BEGIN_AT_RETURN])
		begin(call->cookies[SCOPE_BEGIN_AT_RETURN], SCOPE_SP_POINTS, IN_USER);
	return 0;
}

#endif
