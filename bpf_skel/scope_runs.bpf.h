/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Begins and ends the runs of a thread. scope.h defines scopes, runs, and the state of a thread. A
 * thread's runs in progress form a stack, and each count is charged to the latest run:
 *
 *	          begin A      begin B      end B       end A
 *	 ───────────┼────────────┼───────────┼────────────┼────────────
 *	 charged to      A             B            A
 *
 * With --inclusive, each count is charged to all runs in progress.
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
 * Used only with cgroups. Returns whether runs of the current thread are counted now. Sets a bit in
 * *@groups for each set (struct scope_totals) to which such a run is added. These are the sets of
 * the cgroups that contain the thread and, if some events have no cgroup, the set for all runs.
 * While pstat measures the cost of counting, each run is added to the first set.
 */
static __noinline int is_in_group(__u64 *groups)
{
	bool wanted = is_wanted(groups);

	if (gate.phase != SCOPE_GATE_CALIBRATION)
		return wanted;
	*groups = 1;
	return true;
}

/* Used only with --per-thread. Returns the row of the current thread in the report. */
static __always_inline __u32 row_of_task(void)
{
	const __u32 *nr = find_task();

	return nr ? *nr : 0;
}

/* Returns the state of @task, or NULL if @task has none yet. @task must be the current thread. */
static __always_inline struct scope_task *state_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline struct scope_task *this_thread(void)
{
	return state_of(bpf_get_current_task_btf());
}

/*
 * Creates the state of @task before its first run. @task must be the current thread. Returns NULL
 * if the runs of this thread are not counted, or if there is no memory.
 */
static __noinline struct scope_task *make_state(struct task_struct *task)
{
	struct scope_task *t;

	/* with cgroups, is_in_group() has already checked the task */
	if (!nr_cgroups && !task_is_wanted())
		return NULL;
	t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)
		lose(SCOPE_LOST_NO_MEMORY, 1);
	else if (per_thread)
		t->row = row_of_task();
	return t;
}

/*
 * Called when a run of the current thread ends but cannot be counted. Reports the run as lost
 * because of @cause. With cgroups, reports the run only if is_in_group() returns true.
 */
static __noinline int lose_end(__u32 cause)
{
	__u64 groups;

	if (!nr_cgroups || is_in_group(&groups))
		lose(cause, 1);
	return 0;
}

/*
 * Where a program is attached. This determines why t->away (the thread is off the CPU) can be set
 * although the thread is executing the program.
 */
enum where {
	/*
	 * in user space, or at the entry or return of a system call; if t->away is set, the kernel
	 * did not report a context switch
	 */
	IN_USER,
	/*
	 * elsewhere in the kernel; if t->away is set, the thread may instead be in the middle of a
	 * context switch
	 */
	IN_KERNEL,
};

/* ---- begin and end ---- */

/*
 * Returns the pointer @frame as a number. In fentry and fexit programs, the verifier allows
 * arithmetic on this pointer only after it has been stored in memory and loaded again. t->busy must
 * be set, so that no interrupt changes t->frame in between.
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
 * Begins the run @nr; the number of a run is its index in t->runs. The verifier must know that @nr
 * is valid, so @nr must be a constant, or must have been masked. @groups points to the bits that
 * is_in_group() has set, and is unused without cgroups.
 */
static __always_inline void push_at(struct scope_task *t, __u64 nr, __u64 cookie, __u64 sp,
				    const __u64 *groups)
{
	struct scope_run *run = &t->runs[nr];

	if (!__builtin_constant_p(nr)) /* make the compiler compute this pointer only once */
		asm volatile("" : "+r"(run));
	if (HAS(KINDS))
		set_inner(t, nr, SCOPE_COOKIE_KIND(cookie));
	else if (run->inner) /* the previous run at this index has left counts in the row `inner` */
		clear_inner(t, nr);
	run->sp = sp;
	if (HAS(CGROUPS))
		run->groups = *groups;
	/* each of these two assignments sets several members */
	run->cookie = cookie;
	run->begun = gate.phase;
	if (HAS(INCLUSIVE))
		run->covered = is_covered(t, cookie);
	if (sp == SCOPE_SP_SYSCALL)
		t->in_syscall = 1;
	barrier();
	/* from here on, the program at context switches changes the row `base` */
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

/* Begins a run while other runs of the thread are in progress. */
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
	/* the mask does not change the number; it only shows the number's bounds to the verifier */
	MASK_WITH_PARAM(nr, LAST);
	push_at(t, nr, cookie, sp, groups);
}

/*
 * Return values of begin_in() and begin_at(). The program of kprobe.session returns these values to
 * the kernel.
 */
#define BEGUN 0
#define NOT_BEGUN 1

/*
 * Begins a run of @task, which must be the current thread. Returns NOT_BEGUN if the run was refused
 * before any of the thread's runs was changed. Otherwise, returns BEGUN, even if the run could not
 * be recorded.
 *
 * - @sp: as in struct scope_run; or SCOPE_SP_FRAME
 * - @frame: in fentry and fexit programs, the frame of the trampoline; otherwise NULL
 */
static __always_inline int begin_in(struct task_struct *task, __u64 cookie, __u64 sp,
				    const void *frame, enum where where)
{
	struct scope_task *t = state_of(task);
	__u64 groups;

	if (HAS(CGROUPS) && !is_in_group(&groups))
		return NOT_BEGUN;
	/* a thread that has a state has already had a run, so it is one of the counted threads */
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
		/*
		 * It does not matter if context switches before the outermost run were not
		 * reported: `base` can contain any values, because only differences between
		 * readings matter.
		 */
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

/*
 * Handles an end that belongs to no run in progress. Reports a lost run only if this is the end of
 * a run between two points (@sp is 0).
 */
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
 * Returns whether @run, the latest run in progress, can end at @place and has exactly the stack
 * pointer @sp. If so, @run is the run that ends, and the caller need not search for functions that
 * were left without a return. If not, find_earlier() searches for the run that ends, which can
 * still be the latest run (see KERNEL_SLACK in scope_stack.bpf.h).
 */
static __always_inline bool is_latest(const struct scope_run *run, __u32 place, __u64 sp)
{
	return is_at(run, place, sp) && run->sp == sp && !run->done;
}

/*
 * Adds the run @nr, which has ended, to the totals, or reports it as lost. Ignores the run if the
 * gate was closed at any time during the run. The verifier must know that @nr is valid.
 */
static __always_inline void end_run(struct scope_task *t, struct scope_run *run, __u64 nr)
{
	check_switches(t);
	if (run->bad || t->unread)
		lose_ended(t, run);
	else if (run->phase && run->phase == gate.phase)
		add_run(t, run, nr);
}

/*
 * The general case of end_in(): the thread can have several runs in progress, and the run that ends
 * need not be the latest run.
 */
static __always_inline int end_inner(struct scope_task *t, __u32 place, __u64 sp, enum where where)
{
	struct scope_run *run;
	/* the masks do not change the number; they only show its bounds to the verifier */
	__u64 nr = t->nr - 1;

	MASK_WITH_PARAM(nr, LAST);
	run = &t->runs[nr];
	if (!is_latest(run, place, sp)) {
		nr = find_earlier(t, place, sp);
		if (!nr) {
			/*
			 * Runs that begin in the middle of a context switch are not recorded. If
			 * this end belongs to such a run, t->away is correct, and every context
			 * switch was reported.
			 */
			if (where == IN_USER || !t->away)
				check_switches(t);
			return end_none(t, sp);
		}
		nr--;
		MASK_WITH_PARAM(nr, LAST);
		run = &t->runs[nr];
	}
	/* make the compiler compute this pointer only once */
	asm volatile("" : "+r"(run));
	end_run(t, run, nr);
	end_of(t, nr);
	barrier();
	t->busy = 0;
	return 0;
}

/*
 * Ends a run of the current thread. @sp and @frame are as in begin_in(). @place is the scope and
 * row of the run, or SCOPE_ANY_PLACE; it is unused if @sp is SCOPE_SP_SYSCALL.
 */
static __always_inline int end_in(struct scope_task *t, __u32 place, __u64 sp, const void *frame,
				  enum where where)
{
	/* true if the state is busy (the upper half of `used`), or if there are no runs */
	if (t->used - 1 >= SCOPE_DEPTH) {
		/*
		 * The beginning of this run was not recorded, or its end cannot be recorded because
		 * the state is busy. So a run between two points is lost. A function call (@sp is
		 * not 0) is not reported here. If it began before counting started, or before the
		 * thread was created, it is not counted. Otherwise, it has already been reported as
		 * lost (for example, because it began while the state was busy).
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
	/* usually, the run that ends is the only run */
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
