/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the events of a thread between two points.
 *
 *	          begin A      begin B      end B       end A
 *	 ───────────┼────────────┼───────────┼────────────┼────────────
 *	 charged to      A             B            A
 */
#ifndef PSTAT_SCOPE_RUNS_BPF_H
#define PSTAT_SCOPE_RUNS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.bpf.h"
#include "prog_filter.bpf.h"
#include "scope_add.bpf.h"
#include "scope_rare.bpf.h"
#include "scope_read.bpf.h"

/* ---- the tasks that are counted ---- */

/*
 * Only with cgroups: is a run that begins now counted? Stores in *@groups the bit mask of the sets
 * to which the run belongs: the sets of the cgroups that contain the thread, and the set of all
 * runs if there is one.
 */
static __noinline int is_in_group(__u64 *groups)
{
	bool wanted = is_wanted(groups);

	if (gate.phase != SCOPE_GATE_CALIBRATION)
		return wanted;
	*groups = 1;
	return true;
}

/* With --per-thread: the row of the current thread, which is one of the selected threads. */
static __always_inline __u32 row_of_task(void)
{
	const __u32 *nr = find_task();

	return nr ? *nr : 0;
}

/* Returns the state of @task, the current thread, if it has one. */
static __always_inline struct scope_task *state_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline struct scope_task *this_thread(void)
{
	return state_of(bpf_get_current_task_btf());
}

/*
 * Makes the state of @task, the current thread, at its first run. Returns NULL if its runs are not
 * counted.
 */
static __noinline struct scope_task *make_state(struct task_struct *task)
{
	struct scope_task *t;

	/* with cgroups, this was checked before */
	if (!nr_cgroups && !task_is_wanted())
		return NULL;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		lose(SCOPE_LOST_NO_MEMORY, 1);
	else if (per_thread)
		t->row = row_of_task();
	return t;
}

/* The end of a run of @t was seen, but not its beginning. Reports it if it would have counted. */
static __noinline int lose_end(__u32 cause)
{
	__u64 groups;

	if (!nr_cgroups || is_in_group(&groups))
		lose(cause, 1);
	return 0;
}

/* Where a program runs: this decides what to conclude if the thread seems to be off the CPU. */
enum where {
	IN_USER, /* at a point that a thread passes only while it has the CPU */
	/* anywhere in the kernel, perhaps in the middle of a context switch, or in an interrupt */
	IN_KERNEL,
};

/* ---- begin and end ---- */

/*
 * Returns the pointer @frame as a number. In a program at a trampoline, the verifier treats it as a
 * pointer, and forbids arithmetic on it until it has been stored in memory and loaded again. The
 * state of the thread must be busy, so that an interrupt does not change it.
 */
static __always_inline __u64 frame_of(struct scope_task *t, const void *frame)
{
	*(volatile __u64 *)&t->frame = (__u64)frame;
	return *(volatile __u64 *)&t->frame;
}

static __always_inline void check_switches(struct scope_task *t)
{
	if (t->off)
		mark_bad(t);
	check_moves(t);
}

/*
 * Begins the run @nr, which is a constant or has been masked. @groups: with cgroups, the sets to
 * which the run belongs
 */
static __always_inline void push_at(struct scope_task *t, __u64 nr, __u64 cookie, __u64 sp,
				    const __u64 *groups)
{
	struct scope_run *run = &t->runs[nr];

	if (!__builtin_constant_p(nr)) /* make the compiler use one pointer */
		asm volatile("" : "+r"(run));
	if (HAS(KINDS))
		set_inner(t, nr, SCOPE_COOKIE_KIND(cookie));
	else if (run->inner) /* the previous run with this number contained other runs */
		clear_inner(t, nr);
	run->sp = sp;
	if (HAS(CGROUPS))
		run->groups = *groups;
	/* each of these sets several members */
	run->cookie = cookie;
	run->begun = gate.phase;
	if (HAS(INCLUSIVE))
		run->covered = is_covered(t, cookie);
	if (sp == SCOPE_SP_SYSCALL)
		t->in_syscall = 1;
	barrier();
	/* from here on, context switches change the base */
	t->nr = nr + 1;
	barrier();
	if (HAS(SOME_CPUS)) {
		if (!nr)
			forget_moves(t);
		if (is_other_cpu())
			run->bad = SCOPE_BAD_ELSEWHERE;
	}
	read_thread(t, pair_of(t, nr), 0, true);
	if (!t->unread)
		return;
	t->unread = 0;
	t->nr--;
	lose(SCOPE_LOST_UNREAD, 1);
}

/* Begins a run if there are others. */
static __always_inline void push(struct scope_task *t, __u64 cookie, __u64 sp, const __u64 *groups)
{
	__u64 nr;

	if (sp) {
		int left = drop_left(t, cookie, sp);

		if (left)
			lose(SCOPE_LOST_JUMP, left);
		drop_lost(t);
	}
	nr = t->nr;
	if (nr >= PARAM(DEPTH)) {
		lose_deep(t, cookie, sp);
		return;
	}
	if (!nr)
		t->off = 0;
	else
		check_switches(t);
	/* this changes nothing, but the verifier must know the bounds */
	MASK_WITH_PARAM(nr, LAST);
	push_at(t, nr, cookie, sp, groups);
}

/* What begin_in() and begin_at() return. */
#define BEGUN 0
#define NOT_BEGUN 1

/*
 * @task: the current thread
 * @sp: the stack pointer when the function returns, or one of SCOPE_SP_*
 * @frame: the frame of the trampoline if @sp is SCOPE_SP_FRAME, otherwise NULL
 */
static __always_inline int begin_in(struct task_struct *task, __u64 cookie, __u64 sp,
				    const void *frame, enum where where)
{
	struct scope_task *t = state_of(task);
	__u64 groups;

	if (HAS(CGROUPS) && !is_in_group(&groups))
		return NOT_BEGUN;
	/* a thread with a state had a run before, so it is counted */
	if (!t) {
		t = make_state(task);
		if (!t)
			return NOT_BEGUN;
	}
	if (t->busy) {
		lose(SCOPE_LOST_BUSY, 1);
		return NOT_BEGUN;
	}
	if (where == IN_KERNEL && t->away) {
		lose(SCOPE_LOST_MIDDLE, 1);
		return NOT_BEGUN;
	}
	t->busy = 1;
	barrier();
	if (frame && sp == SCOPE_SP_FRAME)
		sp = frame_of(t, frame);
	if (t->nr) {
		push(t, cookie, sp, &groups);
	} else {
		/* the row `base` may have any values: only differences between readings matter */
		t->off = 0;
		push_at(t, 0, cookie, sp, &groups);
	}
	barrier();
	t->busy = 0;
	return BEGUN;
}

static __always_inline int begin_at(__u64 cookie, __u64 sp, const void *frame, enum where where)
{
	return begin_in(bpf_get_current_task_btf(), cookie, sp, frame, where);
}

static __always_inline int begin(__u64 cookie, __u64 sp, enum where where)
{
	begin_at(cookie, sp, NULL, where);
	return 0;
}

/* No run ends. */
static __noinline int end_none(struct scope_task *t, __u64 sp)
{
	if (!sp)
		lose_end(SCOPE_LOST_UNPAIRED);
	t->unread = 0;
	leave(t);
	barrier();
	t->busy = 0;
	return 0;
}

/*
 * Is the run that ends @run, which began last? If so, no function was left without a return.
 */
static __always_inline bool is_latest(const struct scope_run *run, __u32 place, __u64 sp)
{
	return is_at(run, place, sp) && run->sp == sp && !run->done;
}

/* Ends the run @nr, which is a constant or has been masked. */
static __always_inline void end_run(struct scope_task *t, struct scope_run *run, __u64 nr)
{
	check_switches(t);
	if (run->bad || t->unread)
		lose_ended(t, run);
	else if (run->phase && run->phase == gate.phase)
		add_run(t, run, nr);
}

/* Ends a run if there are others, or if it is not the one that began last. */
static __always_inline int end_inner(struct scope_task *t, __u32 place, __u64 sp, enum where where)
{
	struct scope_run *run;
	/* masks that change nothing: the verifier must know the bounds */
	__u64 nr = t->nr - 1;

	MASK_WITH_PARAM(nr, LAST);
	run = &t->runs[nr];
	if (!is_latest(run, place, sp)) {
		nr = find_earlier(t, place, sp);
		if (!nr) {
			/*
			 * A run that begins in the middle of a context switch is not recorded. If
			 * its end comes there too, there is nothing to check.
			 */
			if (where == IN_USER || !t->away)
				check_switches(t);
			return end_none(t, sp);
		}
		nr--;
		MASK_WITH_PARAM(nr, LAST);
		run = &t->runs[nr];
	}
	/* make the compiler use one pointer */
	asm volatile("" : "+r"(run));
	end_run(t, run, nr);
	end_of(t, nr);
	barrier();
	t->busy = 0;
	return 0;
}

/*
 * @sp, @frame: as for begin_in(). The end of a system call is recognized without @place.
 */
static __always_inline int end_in(struct scope_task *t, __u32 place, __u64 sp, const void *frame,
				  enum where where)
{
	/* not busy, and some runs */
	if (t->used - 1 >= SCOPE_DEPTH) {
		/*
		 * The beginning of this run was not recorded. For a function (@sp is not 0), this
		 * is not a loss: it was called before the count began, or the thread was forked
		 * inside it. Or an interrupt called it while the state was busy; its beginning was
		 * then reported as lost.
		 */
		if (!sp)
			lose_end(t->busy ? SCOPE_LOST_BUSY : SCOPE_LOST_UNPAIRED);
		return 0;
	}
	t->busy = 1;
	barrier();
	if (HAS(BRANCHES))
		take_branches(t);
	read_thread(t, t, NOW_AT, false);
	if (frame && sp == SCOPE_SP_FRAME)
		sp = frame_of(t, frame);
	/* usually, it is the only run */
	if (t->nr != 1 || !is_latest(&t->runs[0], place, sp))
		return end_inner(t, place, sp, where);
	end_run(t, &t->runs[0], 0);
	barrier();
	t->used = 0;
	return 0;
}

static __always_inline int end_at(__u32 place, __u64 sp, const void *frame, enum where where)
{
	struct scope_task *t = this_thread();

	return t ? end_in(t, place, sp, frame, where) : 0;
}

static __always_inline int end(__u32 place, __u64 sp, enum where where)
{
	return end_at(place, sp, NULL, where);
}

#endif
