/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs at the two tracepoints that each system call passes.
 *
 * Linux 7.2 and later can preempt raw tracepoint programs at these tracepoints, but not programs
 * that are attached to perf events. While a program is preempted, the kernel does not run it for
 * other threads on the same CPU, so runs of these threads would be missed or lost. For this reason,
 * if the kernel can preempt raw tracepoint programs, user space attaches the programs of this file
 * to perf events of the tracepoints, and sets SCOPE_PARAM_SYSCALL_EVENTS. At the return of a system
 * call, the two types of programs get different arguments: in a perf event program, args[1] is the
 * number of the system call; in a raw tracepoint program, args[1] is the return value.
 */
#ifndef PSTAT_SCOPE_SYSCALLS_BPF_H
#define PSTAT_SCOPE_SYSCALLS_BPF_H

#include "scope_runs.bpf.h"

#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___arm64 {
	__s32 syscallno;
};
#pragma clang attribute pop

/* The points of each system call. User space writes the array, and the programs read it. */
struct scope_syscall syscalls[SCOPE_SYSCALLS] = {};

/*
 * Returns whether @task is executing a system call of a 32-bit program. In 32-bit programs, system
 * calls have different numbers.
 */
static __always_inline bool is_compat(const struct task_struct *task)
{
#ifdef __TARGET_ARCH_arm64
	return task->thread_info.flags & 1UL << 22; /* TIF_32BIT */
#else
	return task->thread_info.status & 2; /* TS_COMPAT */
#endif
}

SEC("raw_tp/sys_enter")
int pstat_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	const struct scope_syscall *call;
	struct task_struct *task;
	__u64 nr = ctx->args[1], cookie;

	if (nr >= SCOPE_SYSCALLS)
		return 0;
	call = &syscalls[nr];
	task = bpf_get_current_task_btf();
	if (is_compat(task))
		return 0;
	if (call->cookies[SCOPE_END_AT_ENTRY])
		end(call->cookies[SCOPE_END_AT_ENTRY], SCOPE_SP_POINTS, IN_USER);
	cookie = call->cookies[SCOPE_BEGIN_AT_ENTRY];
	if (cookie)
		begin_in(task, cookie,
			 SCOPE_COOKIE_AT_RETURN(cookie) ? SCOPE_SP_SYSCALL : SCOPE_SP_POINTS, NULL,
			 IN_USER);
	return 0;
}

/*
 * Returns the number of the system call, read from the saved registers at the address @regs. At the
 * return of rt_sigreturn(2), the number is wrong, because this system call overwrites the
 * registers.
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

static __always_inline void end_syscall(void)
{
	struct scope_task *t = this_thread();

	if (!t || !t->in_syscall)
		return;
	t->in_syscall = 0;
	end_in(t, 0, SCOPE_SP_SYSCALL, NULL, IN_USER);
}

SEC("raw_tp/sys_exit")
int pstat_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const struct scope_syscall *call;
	__u64 nr;

	if (!HAS(SYSCALL_POINTS)) {
		end_syscall();
		return 0;
	}
	end_syscall();
	if (HAS(SYSCALL_EVENTS))
		nr = ctx->args[1];
	else
		nr = number_of(ctx->args[0]);
	/* make the compiler compare all bits of `nr`, so that the verifier knows its bounds */
	asm volatile("" : "+r"(nr));
	if (nr >= SCOPE_SYSCALLS)
		return 0;
	call = &syscalls[nr];
	if (is_compat(bpf_get_current_task_btf()))
		return 0;
	if (call->cookies[SCOPE_END_AT_RETURN])
		end(call->cookies[SCOPE_END_AT_RETURN], SCOPE_SP_POINTS, IN_USER);
	if (call->cookies[SCOPE_BEGIN_AT_RETURN])
		begin(call->cookies[SCOPE_BEGIN_AT_RETURN], SCOPE_SP_POINTS, IN_USER);
	return 0;
}

#endif
