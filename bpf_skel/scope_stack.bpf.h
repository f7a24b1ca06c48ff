/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs in progress of a thread: finds the run that ends, and the functions that were left
 * without a return.
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
 * Are the two stack pointers in the same stack? The kernel has several stacks, and the order of
 * their addresses has no meaning.
 */
static __always_inline bool same_stack(__u64 a, __u64 b)
{
	return !is_kernel_sp(a | b) || !((a ^ b) >> 14);
}

/*
 * On some kernels, the stack pointer of a kernel function at its return differs from that at its
 * call by the size of the return address. If a function calls itself, the stack pointer moves by
 * more than this.
 */
#define KERNEL_SLACK 16

/* Would @run be counted if its end were seen? If so, and its end is not seen, it is a lost run. */
static __always_inline bool would_count(const struct scope_run *run)
{
	return run->phase == gate.phase && !run->covered && !(run->bad & SCOPE_BAD_ELSEWHERE);
}

/* Can @run end at @place and @sp, as far as the place shows? */
static __always_inline bool is_at(const struct scope_run *run, __u32 place, __u64 sp)
{
	return run->place == place || place == SCOPE_ANY_PLACE || sp == SCOPE_SP_SYSCALL;
}

/* ---- global functions, which the verifier checks once and independently ---- */

/*
 * What a search for runs looks for. The searches use bpf_loop(), so that the verifier examines the
 * body of each loop once and not SCOPE_DEPTH times: this makes loading ten times as fast.
 */
struct run_search {
	struct scope_task *t;
	__u64 sp;
	__u32 place;
	__u32 nr; /* a number of runs, or the number of a run */
};

/* Values that a step of bpf_loop() returns. */
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
 * Marks the functions that were left without a return: those whose stack is gone when the function
 * at @place is called with the stack pointer @sp. Returns the number of lost runs. Functions are on
 * the stack in the order of their calls, so the search ends at the first function that is still in
 * progress.
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
 * Removes the runs that are done from the top of the stack. Returns their number. With `inclusive`,
 * the number includes the runs inside the removed runs.
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

	/* make the compiler check `top` itself, because the verifier does not bound a sum */
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
 * Removes lost runs from the top of the stack. If one of them had runs inside it, stops after this
 * run and returns its number: those runs are now inside the run below, and the caller must move
 * their counts. Returns 0 if there is nothing to move. The number of the outermost run is not
 * returned, because no run is below it.
 */
__noinline int pop_lost(struct scope_task *t)
{
	struct run_search search = { .t = t };

	/* usually, there is none */
	if (!t || t->nr - 1 >= SCOPE_DEPTH || !t->runs[(t->nr - 1) & (SCOPE_DEPTH - 1)].done)
		return 0;
	bpf_loop(SCOPE_DEPTH, pop_if_lost, &search, 0);
	return search.nr;
}

/*
 * The run @nr, a function of the kernel, ends. Marks the kernel functions above it: they must have
 * returned before, but the kernel did not report it.
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
 * Finds the run of the scope at @place that ends with the stack pointer @sp; if @sp is 0, the
 * latest run of this scope. Sets t->above. Marks the functions whose stack is gone, and sets
 * t->left to the number of those that are lost. Returns the number of the run + 1, or 0 if there is
 * none.
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
 * Drops the runs that began in user space, because execve(2) has removed their code and stack.
 * Returns the number of runs that would have been counted.
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

/* Drops all runs. Returns the number of runs that would have been counted. */
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
 * If a context switch was not seen, marks all runs as bad. Later runs are good, because only
 * differences of readings count.
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

/* Returns 1 if the thread is in a run that will be counted for the row of @place, otherwise 0. */
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
