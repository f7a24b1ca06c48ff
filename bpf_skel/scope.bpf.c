// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs at the points of scopes (scope.h), at context switches, at the exit of threads, and
 * at execve(2).
 */
#include "scope_runs.bpf.h"

#include "gate_runs.bpf.h"
#include "scope_syscalls.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The number of bytes that a return removes from the stack: RETURN_ADDRESS_SIZE in the kernel,
 * USER_RETURN_ADDRESS_SIZE() in a program. On x86-64, this is the size of the return address. On
 * arm64, it is 0, because the return address is in a register.
 */
#ifdef __TARGET_ARCH_arm64
#define RETURN_ADDRESS_SIZE 0
#define USER_RETURN_ADDRESS_SIZE(regs) 0
#else
#define RETURN_ADDRESS_SIZE 8
/* the code segment of 32-bit programs (arch/x86/include/asm/segment.h) */
#define USER32_CS 0x23
/* CPUs with FRED use the upper bits of `cs` for other data */
#define USER_RETURN_ADDRESS_SIZE(regs) (((regs)->cs & 0xffff) == USER32_CS ? 4 : 8)
#endif

/*
 * If the run is a call of a function, returns the value that the stack pointer will have at the
 * return. Otherwise, returns SCOPE_SP_POINTS.
 */
static __always_inline __u64 sp_at_entry(const bpf_user_pt_regs_t *regs, __u64 cookie)
{
	return SCOPE_COOKIE_AT_RETURN(cookie) ?
		       regs->PT_REGS_SP_FIELD + USER_RETURN_ADDRESS_SIZE(regs) :
		       SCOPE_SP_POINTS;
}

static __always_inline __u64 sp_at_return(const bpf_user_pt_regs_t *regs, __u64 cookie)
{
	return SCOPE_COOKIE_AT_RETURN(cookie) ? regs->PT_REGS_SP_FIELD : SCOPE_SP_POINTS;
}

/*
 * The value that identifies a call of a kernel function: on arm64, the caller's frame pointer;
 * elsewhere, the stack pointer. In Linux 6.14 and later, the arm64 kernel does not pass the stack
 * pointer to programs at the returns of kernel functions (return_to_handler in
 * arch/arm64/kernel/entry-ftrace.S). The frame pointer of the caller is the same at the entry and
 * at the return, and lower in a deeper call.
 */
#ifdef __TARGET_ARCH_arm64
#define CALLER(r) ((r)->regs[29])
#else
#define CALLER(r) ((r)->PT_REGS_SP_FIELD)
#endif

static __always_inline __u64 caller_at_entry(const bpf_user_pt_regs_t *regs, __u64 cookie)
{
	return SCOPE_COOKIE_AT_RETURN(cookie) ? CALLER(regs) + RETURN_ADDRESS_SIZE :
						SCOPE_SP_POINTS;
}

static __always_inline __u64 caller_at_return(const bpf_user_pt_regs_t *regs, __u64 cookie)
{
	return SCOPE_COOKIE_AT_RETURN(cookie) ? CALLER(regs) : SCOPE_SP_POINTS;
}

SEC("uprobe")
int pstat_begin(bpf_user_pt_regs_t *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return begin(cookie, sp_at_entry(ctx, cookie), IN_USER);
}

SEC("uprobe")
int pstat_end(bpf_user_pt_regs_t *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return end(cookie, sp_at_return(ctx, cookie), IN_USER);
}

/*
 * Returns the cookie of the point at the return of a kernel function. Kernel functions return in
 * the reverse order of their calls. So the stack pointer is enough to find the run that ends,
 * unless the entry or the return of a kernel function is one of two separate points of a scope. If
 * there is no such scope, this function returns a cookie with the place SCOPE_ANY_PLACE instead of
 * looking up the cookie: the lookup is slow if there are many functions, and its cost would be
 * counted in the run.
 */
static __always_inline __u64 place_at_return(void *ctx)
{
	return HAS(FUNCTIONS_ONLY) ? SCOPE_COOKIE(0xffff, 0xffff, 1, 0) :
				     bpf_get_attach_cookie(ctx);
}

SEC("kprobe")
int pstat_func_begin(bpf_user_pt_regs_t *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return begin(cookie, caller_at_entry(ctx, cookie), IN_KERNEL);
}

SEC("kprobe")
int pstat_func_end(bpf_user_pt_regs_t *ctx)
{
	__u64 cookie = place_at_return(ctx);

	return end(cookie, caller_at_return(ctx, cookie), IN_KERNEL);
}

/*
 * Calls the kernel function bpf_session_is_return(@ctx), which returns whether the program runs at
 * the return of a function. Before Linux 7.0, bpf_session_is_return() has no parameter, so @ctx is
 * ignored. User space sets the operand of the call (see SCOPE_IS_RETURN_CALL).
 */
static __always_inline bool session_is_return(void *ctx)
{
	register __u64 result asm("r0");
	register void *argument asm("r1") = ctx;

	asm volatile("call %[number]"
		     : "=r"(result), "+r"(argument)
		     : [number] "i"(SCOPE_IS_RETURN_CALL)
		     : "r2", "r3", "r4", "r5", "memory");
	return result & 0xff;
}

/*
 * The program of kprobe.session (Linux 6.10 and later), which runs at the entries and the returns
 * of functions. If the program returns 1 at an entry, the kernel does not run the program at the
 * return.
 */
SEC(SCOPE_SECTION_SESSION)
int pstat_func_session(bpf_user_pt_regs_t *ctx)
{
	__u64 cookie;

	if (session_is_return(ctx))
		return end(SCOPE_ANY_PLACE, CALLER(ctx), IN_KERNEL);
	cookie = bpf_get_attach_cookie(ctx);
	return begin_at(cookie, caller_at_entry(ctx, cookie), NULL, IN_KERNEL);
}

static __always_inline __u64 sp_of_trampoline(__u64 cookie)
{
	return SCOPE_COOKIE_AT_RETURN(cookie) ? SCOPE_SP_FRAME : SCOPE_SP_POINTS;
}

/*
 * The fentry and fexit programs. For each point, user space loads a copy of one of these two
 * programs: as an fentry program if the point is the entry of a function, or as an fexit program if
 * the point is the return. In one call of the function, the programs at the entry and the return
 * get the same @ctx: the frame of the trampoline (the kernel code that calls them) on the stack of
 * the task.
 */
SEC(SCOPE_SECTION_FENTRY)
int pstat_fentry_begin(__u64 *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	begin_at(cookie, sp_of_trampoline(cookie), ctx, IN_KERNEL);
	return 0;
}

SEC(SCOPE_SECTION_FENTRY)
int pstat_fentry_end(__u64 *ctx)
{
	__u64 cookie = place_at_return(ctx);

	return end_at(cookie, sp_of_trampoline(cookie), ctx, IN_KERNEL);
}

SEC("tracepoint")
int pstat_tp_begin(void *ctx)
{
	return begin(bpf_get_attach_cookie(ctx), SCOPE_SP_POINTS, IN_KERNEL);
}

SEC("tracepoint")
int pstat_tp_end(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	return end(cookie, SCOPE_SP_POINTS, IN_KERNEL);
}

/*
 * Runs at each context switch. If neither of the two threads has a run in progress, does nothing.
 */
SEC("pstat_tp_btf")
int pstat_on_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct scope_task *from = bpf_task_storage_get(&threads, prev, 0, 0);
	struct scope_task *to = bpf_task_storage_get(&threads, next, 0, 0);
	bool out = from && from->nr, in = to && to->nr;
	__u32 key = 0, unread = 0;
	__u64 *counters;

	if (!out && !in)
		return 0;
	counters = bpf_map_lookup_elem(&at_switch, &key);
	if (!counters)
		return 0;
	if (HAS(SHORT))
		take(counters, 0, NULL, &unread, 0, false);
	else
		take_many(counters, counters, 0, &unread);
	if (out)
		rebase(from, counters, false, unread);
	if (in)
		rebase(to, counters, true, unread);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int pstat_on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct scope_task *t = this_thread();
	int nr;

	(void)ctx;
	if (!t || !t->nr)
		return 0;
	nr = drop_all(t);
	if (nr)
		lose(SCOPE_LOST_EXIT, nr);
	return 0;
}

/*
 * Drops the runs that began in user space. All other runs are kept: execve(2) itself and the kernel
 * functions in progress will return, and a run that began at a tracepoint can still end.
 */
SEC("raw_tp/sched_process_exec")
int pstat_on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct scope_task *t = this_thread();
	int nr;

	(void)ctx;
	if (!t || !t->nr)
		return 0;
	nr = drop_user(t);
	if (nr)
		lose(SCOPE_LOST_EXEC, nr);
	drop_lost(t);
	return 0;
}
