/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs (executions of a scope, see scope.h) that a thread has in progress. They form a stack:
 * the array `runs` in struct scope_task. The run on top began most recently.
 *
 * The run of a function records the value that the stack pointer will have when the function
 * returns. When the thread later enters or leaves a function of a scope, a BPF program compares the
 * recorded values with the current stack pointer. The comparison shows which run ends, and which
 * functions were left without a return, for example by longjmp(3). The runs of these functions are
 * lost. A run that has ended or is lost is marked as `done`, and removed when it is on top.
 */
#ifndef PSTAT_SCOPE_STACK_BPF_H
#define PSTAT_SCOPE_STACK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.bpf.h"
#include "scope_add.bpf.h"

static __always_inline bool is_kernel_sp(__u64 sp)
{
	return sp >> 63;
}

/*
 * Returns whether two stack pointers can be compared. Two stack pointers of user space can always
 * be compared. One of user space and one of the kernel can never be compared. The kernel has
 * several stacks, and the order of their addresses has no meaning. So two stack pointers of the
 * kernel can be compared only if they point into the same 16 KiB stack.
 */
static __always_inline bool same_stack(__u64 a, __u64 b)
{
	return !is_kernel_sp(a | b) || !((a ^ b) >> 14);
}

/*
 * The maximum difference, in bytes, between the recorded stack pointer of a kernel function and the
 * stack pointer at its return. On some kernels, the two differ by the size of the return address. A
 * recursive call moves the stack pointer by more than KERNEL_SLACK, so its run is not confused with
 * the run of the outer call.
 */
#define KERNEL_SLACK 16

/*
 * Returns whether @run belongs in the report: as a counted run or, if it cannot be counted, as a
 * lost run.
 */
static __always_inline bool would_count(const struct scope_run *run)
{
	return run->phase == gate.phase && !run->covered && !(run->bad & SCOPE_BAD_ELSEWHERE);
}

/*
 * Returns whether @run can end at @place (scope and row; see struct scope_run). The caller also
 * compares the stack pointers. All runs can end at SCOPE_ANY_PLACE. If @sp is SCOPE_SP_SYSCALL, a
 * system call ends. Then @place is unused: a thread executes only one system call at a time.
 */
static __always_inline bool is_at(const struct scope_run *run, __u32 place, __u64 sp)
{
	return run->place == place || place == SCOPE_ANY_PLACE || sp == SCOPE_SP_SYSCALL;
}

/* ---- global functions: the verifier checks each of them once, not once for each call ---- */

/*
 * The input and the result of the callbacks of bpf_loop(). With bpf_loop(), the verifier examines
 * the body of a loop once instead of SCOPE_DEPTH times, so loading is ten times as fast.
 */
struct run_search {
	struct scope_task *t;
	__u64 sp;
	__u32 place;
	/*
	 * in drop_if_left() and count_run(): the number of lost runs; in drop_if_above(): the index
	 * of the run that ends; in pop_if_lost(): the result of pop_lost(); in find_step(): the
	 * result of find_run()
	 */
	__u32 nr;
};

/* The return values of the callbacks: bpf_loop() continues or stops. */
#define GO_ON 0
#define STOP 1

static long drop_if_left(__u32 i, struct run_search *search)
{
	struct scope_task *t = search->t;
	__u32 top = t->nr - 1 - i;
	struct scope_run *run;

	if (top >= SCOPE_DEPTH)
		return STOP;
	run = &t->runs[top];
	if (run->done || !run->sp || !same_stack(run->sp, search->sp))
		return GO_ON;
	if (run->sp > search->sp || (run->sp == search->sp && run->place != search->place &&
				     search->sp != SCOPE_SP_SYSCALL))
		return STOP;
	run->done = 1;
	search->nr += would_count(run);
	return GO_ON;
}

/*
 * Called when a thread enters a function whose runs have the place @place. @sp is the value that
 * the stack pointer will have when the function returns. Marks as done the runs of functions that
 * were left without a return. These are all functions on the same stack (same_stack()) whose
 * recorded stack pointer is below @sp, and earlier calls of the entered function whose recorded
 * stack pointer is @sp. If any other function has the recorded stack pointer @sp, it has made a
 * tail call, so it is still in progress. The search ends at the first function that is still in
 * progress, because its callers are in progress, too. Returns the number of lost runs.
 *
 * Also called at the entry of a system call, with SCOPE_SP_SYSCALL as @sp. In this case, marks as
 * done the run of an earlier system call: that call is no longer in progress, because a thread
 * executes only one system call at a time.
 */
__noinline int drop_left(struct scope_task *t, __u32 place, __u64 sp)
{
	struct run_search search = { .t = t, .place = place, .sp = sp };

	if (!t)
		return 0;
	bpf_loop(SCOPE_DEPTH, drop_if_left, &search, 0);
	return search.nr;
}

/*
 * Removes the runs at the top of the stack that are `done`. Returns the number of these runs. With
 * --inclusive, the number includes the runs inside the removed runs.
 */
__noinline int pop_done(struct scope_task *t)
{
	int nr = 0;

	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH; i++) {
		__u32 top = t->nr - 1;

		if (top >= SCOPE_DEPTH || !t->runs[top].done)
			break;
		t->nr = top;
		nr += 1 + (inclusive ? t->runs[top].inner : 0);
	}
	return nr;
}

static long drop_if_above(__u32 i, struct run_search *search)
{
	struct scope_task *t = search->t;
	__u32 top = t->nr - 1 - i;
	struct scope_run *run;

	/*
	 * make the compiler compare `top` itself, because the verifier learns no bounds from a
	 * comparison of sums
	 */
	asm volatile("" : "+r"(top));
	if (top >= SCOPE_DEPTH || top <= search->nr)
		return STOP;
	run = &t->runs[top];
	if (run->done || !is_kernel_sp(run->sp))
		return GO_ON;
	run->done = 1;
	t->left += would_count(run);
	return GO_ON;
}

static long pop_if_lost(__u32 i, struct run_search *search)
{
	struct scope_task *t = search->t;
	__u32 top = t->nr - 1;

	(void)i;
	if (top >= SCOPE_DEPTH || !t->runs[top].done)
		return STOP;
	t->nr = top;
	if (!top || !t->runs[top].inner)
		return GO_ON;
	t->runs[(top - 1) & (SCOPE_DEPTH - 1)].inner += t->runs[top].inner;
	search->nr = inclusive ? 0 : top;
	return inclusive ? GO_ON : STOP;
}

/*
 * Removes lost runs from the top of the stack. Stops after a run that had other runs inside it, and
 * returns the index of this run. In this case, the caller must move the counts of the inner runs to
 * the run below. Returns 0 if no counts have to be moved. With --inclusive, the result is always 0,
 * because the programs do not subtract the counts of inner runs from the outer run. The result is
 * also 0 if the outermost run was removed, because there is no run below it.
 */
__noinline int pop_lost(struct scope_task *t)
{
	struct run_search search = { .t = t };

	if (!t || t->nr - 1 >= SCOPE_DEPTH || !t->runs[(t->nr - 1) & (SCOPE_DEPTH - 1)].done)
		return 0;
	bpf_loop(SCOPE_DEPTH, pop_if_lost, &search, 0);
	return search.nr;
}

/*
 * Called when the run @nr of a function ends. Marks as done the runs of kernel functions above this
 * run. These functions have returned, but the kernel did not report their returns.
 */
__noinline int drop_above(struct scope_task *t, __u32 nr)
{
	struct run_search search = { .t = t, .nr = nr };

	if (t)
		bpf_loop(SCOPE_DEPTH, drop_if_above, &search, 0);
	return 0;
}

static long find_step(__u32 i, struct run_search *search)
{
	struct scope_task *t = search->t;
	__u64 sp = search->sp, slack = is_kernel_sp(sp) ? KERNEL_SLACK : 0;
	__u32 nr = t->nr - 1 - i;
	struct scope_run *run;

	if (nr >= SCOPE_DEPTH)
		return STOP;
	run = &t->runs[nr];
	if (run->done)
		return GO_ON;
	if (is_at(run, search->place, sp) && run->sp - sp + slack <= 2 * slack) {
		search->nr = nr + 1;
		return STOP;
	}
	if (run->sp && run->sp < sp && same_stack(run->sp, sp)) {
		run->done = 1;
		t->left += would_count(run);
	} else {
		t->above = nr;
	}
	return GO_ON;
}

/*
 * Finds the run that ends at @place with the stack pointer @sp. If @sp is 0, finds the latest run
 * at @place. Returns the index of the run + 1, or 0 if no run ends. Sets t->above to the lowest
 * index of a run that is in progress and began later than the run that ends, or to 0 if there is no
 * such run. Marks as done the runs of functions whose stack frames are gone, and sets t->left to
 * the number of lost runs.
 */
__noinline int find_run(struct scope_task *t, __u32 place, __u64 sp)
{
	struct run_search search = { .t = t, .place = place, .sp = sp };

	if (!t)
		return 0;
	t->above = 0;
	t->left = 0;
	bpf_loop(SCOPE_DEPTH, find_step, &search, 0);
	if (search.nr && sp > SCOPE_SP_SYSCALL)
		drop_above(t, search.nr - 1);
	return search.nr;
}

/*
 * Marks as done the runs that began in user space, because execve(2) has removed their code and
 * stack. Returns the number of lost runs.
 */
__noinline int drop_user(struct scope_task *t)
{
	int nr = 0;

	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++) {
		struct scope_run *run = &t->runs[i];
		__u32 class = SCOPE_KIND_BEGIN(run->kind & (SCOPE_NR_KINDS - 1));

		if (run->done || (class != SCOPE_CLASS_USER && class != SCOPE_CLASS_POINT))
			continue;
		run->done = 1;
		nr += would_count(run);
	}
	return nr;
}

static long count_run(__u32 i, struct run_search *search)
{
	struct scope_task *t = search->t;

	if (i >= SCOPE_DEPTH || i >= t->nr)
		return STOP;
	search->nr += !t->runs[i].done && would_count(&t->runs[i]);
	return GO_ON;
}

/* Removes all runs. Returns the number of lost runs. */
__noinline int drop_all(struct scope_task *t)
{
	struct run_search search = { .t = t };

	if (!t)
		return 0;
	bpf_loop(SCOPE_DEPTH, count_run, &search, 0);
	t->nr = 0;
	return search.nr;
}

/*
 * Called if a context switch was not reported, or if the counters could not be read at a switch.
 * Marks all runs in progress as bad. Runs that begin later are not affected: the row `base` adds
 * the same error to both of their readings, and the error cancels out when the reading at the
 * beginning is subtracted from the reading at the end.
 */
__noinline int mark_bad(struct scope_task *t)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++)
		t->runs[i].bad |= SCOPE_BAD_SWITCH;
	t->missed = 0;
	t->away = 0;
	return 0;
}

/*
 * Returns 1 if the thread has a run in progress that will be counted in the same row of the report
 * as runs at @place, otherwise 0.
 */
__noinline int is_covered(struct scope_task *t, __u32 place)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++) {
		const struct scope_run *run = &t->runs[i];

		if (!run->done && !run->bad && would_count(run) &&
		    SCOPE_COOKIE_ROW(run->place) == SCOPE_COOKIE_ROW(place))
			return 1;
	}
	return 0;
}

#endif
