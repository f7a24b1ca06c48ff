/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts a thread between two points.
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
#include "scope_read.bpf.h"
#include "scope_stack.bpf.h"

/*
 * By kind of run and word: the cost of counting such a run, in the run itself and in the run around
 * it, minus the cost that user space subtracts from all runs. All are 0 unless there are several
 * kinds of runs.
 */
const volatile __u32 several_kinds = 0; /* set before load */
__u64 more_own[SCOPE_NR_KINDS][SCOPE_ROOM_WORDS] = {};
__u64 more_inner[SCOPE_NR_KINDS][SCOPE_ROOM_WORDS] = {};

const volatile __u32 per_thread = 0; /* set before load: each thread in `tasks` has a row */

/* 0 → the number of lost runs, by enum scope_lost. BPF writes it, and user space reads it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * SCOPE_NR_LOST);
	__uint(max_entries, 1);
} lost SEC(".maps");

/*
 * Adds @nr to the number of lost runs. A thread can lose its CPU in the middle, so the additions
 * are atomic.
 */
static __always_inline void lose(__u32 cause, __u64 nr)
{
	__u32 key = 0;
	__u64 *all = bpf_map_lookup_elem(&lost, &key);

	if (all && cause < SCOPE_NR_LOST && gate.phase)
		__sync_fetch_and_add(&all[cause], nr);
}

/* ---- the tasks that are counted ---- */

/*
 * Is a run that begins now counted? Stores in @groups the sets of the cgroups that contain the
 * thread. A thread with a state had a run before, so it is counted.
 */
static __always_inline bool is_chosen(const struct scope_task *t, __u64 *groups)
{
	bool wanted;

	*groups = 1;
	if (!nr_cgroups)
		return t || task_is_wanted();
	wanted = is_wanted(groups);
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

/* Returns the state of the current thread if it has one. */
static __always_inline struct scope_task *this_thread(void)
{
	return bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
}

/* Where a program runs: this decides what to conclude if the thread seems to be off the CPU. */
enum where {
	IN_USER, /* at a point that a thread passes only while it has the CPU */
	/* anywhere in the kernel, perhaps in the middle of a context switch, or in an interrupt */
	IN_KERNEL,
};

/* ---- begin and end ---- */

/*
 * Returns the address of @frame as a number. In a program at a trampoline, it is a pointer, and the
 * verifier allows no arithmetic with it until it has been in memory. The state of the thread must
 * be busy, so that an interrupt does not change it.
 */
static __always_inline __u64 frame_of(struct scope_task *t, const void *frame)
{
	*(volatile __u64 *)&t->frame = (__u64)frame;
	return *(volatile __u64 *)&t->frame;
}

static __always_inline void check_switches(struct scope_task *t)
{
	if (t->missed || t->away)
		mark_bad(t);
	check_moves(t);
}

/*
 * Sets the row `inner` before the run begins. Earlier runs may have changed it, and its start value
 * depends on the kind of run.
 */
static __always_inline void set_inner(struct scope_task *t, __u32 run, __u32 kind)
{
	__u64 *inner = row(t, SCOPE_ROW_INNER(run));

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] = several_kinds ? more_own[kind][i] : 0;
}

static __always_inline void push(struct scope_task *t, __u64 cookie, __u64 sp, __u64 groups)
{
	__u32 place = cookie, kind = SCOPE_COOKIE_KIND(cookie);
	__u32 covered = inclusive ? is_covered(t, place) : 0, nr = t->nr;
	struct scope_run *run;

	if (nr >= depth) {
		/*
		 * The end of a function is recognized by its stack pointer, so the runs in progress
		 * stay valid. Other ends have no stack pointer, so all runs are dropped.
		 */
		lose(SCOPE_LOST_DEEP, (sp ? 0 : drop_all(t)) + !covered);
		return;
	}
	/* the base may have any value, because only differences of readings count */
	if (!nr) {
		t->missed = 0;
		t->away = 0;
		forget_moves(t);
	} else {
		check_switches(t);
	}
	/* Linux 6.1 forgets the range of a value that was checked while it was on the stack */
	asm volatile("" : "+r"(nr));
	nr &= depth - 1;
	run = &t->runs[nr];
	/* the earlier run at this place contained other runs */
	if (run->inner || several_kinds)
		set_inner(t, nr, kind);
	run->sp = sp;
	run->groups = groups;
	run->place = place;
	run->phase = gate.phase;
	run->inner = 0;
	run->done = 0;
	run->bad = 0;
	run->covered = covered;
	run->kind = kind;
	if (sp == SCOPE_SP_SYSCALL)
		t->in_syscall = 1;
	barrier();
	/* from here on, context switches change the base */
	t->nr = nr + 1;
	barrier();
	if (some_cpus && is_other_cpu())
		run->bad = SCOPE_BAD_ELSEWHERE;
	if (read_thread(t, row(t, SCOPE_ROW_START(nr)), true))
		return;
	t->nr = nr;
	lose(SCOPE_LOST_UNREAD, 1);
}

/*
 * Removes the lost runs from the top of the stack. The runs inside them remain excluded from the
 * run around them, which is charged only with the counts of the lost runs themselves. The rows are
 * moved here and not in pop_lost(), because the verifier lets a global function use the struct
 * only.
 */
static __noinline int drop_lost(struct scope_task *t)
{
	for (__u32 i = 0; i < SCOPE_DEPTH; i++) {
		__u32 top = pop_lost(t), kind;
		__u64 *from, *to;

		if (!top || top >= depth)
			break;
		kind = t->runs[top].kind & (SCOPE_NR_KINDS - 1);
		from = row(t, SCOPE_ROW_INNER(top));
		to = row(t, SCOPE_ROW_INNER((top - 1) & (depth - 1)));
		for (__u32 word = 0; word < SCOPE_MAX_WORDS && word < shape.words; word++)
			to[word] += from[word] - (several_kinds ? more_own[kind][word] : 0);
	}
	return 0;
}

/* What begin_at() returns. */
#define BEGUN 0
#define NOT_BEGUN 1

/*
 * @sp: the stack pointer when the function returns, or SCOPE_SP_... @frame: for SCOPE_SP_FRAME,
 * otherwise NULL.
 */
static __always_inline int begin_at(__u64 cookie, __u64 sp, const void *frame, enum where where)
{
	struct scope_task *t = this_thread();
	__u64 groups;

	if (!is_chosen(t, &groups))
		return NOT_BEGUN;
	if (!t) {
		t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (t && per_thread)
			t->row = row_of_task();
	}
	if (!t || t->busy) {
		lose(t ? SCOPE_LOST_BUSY : SCOPE_LOST_NO_MEMORY, 1);
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
	if (sp && t->nr) {
		int nr = drop_left(t, cookie, sp);

		if (nr)
			lose(SCOPE_LOST_JUMP, nr);
		drop_lost(t);
	}
	push(t, cookie, sp, groups);
	barrier();
	t->busy = 0;
	return BEGUN;
}

static __always_inline int begin(__u64 cookie, __u64 sp, enum where where)
{
	begin_at(cookie, sp, NULL, where);
	return 0;
}

/* Removes the runs on top that are done, and charges the run below them, which contains them. */
static __always_inline void leave(struct scope_task *t)
{
	__u32 kind;
	__u64 *now, *start, *inner;
	struct scope_run *outer;
	__u32 popped, nr;

	if (t->nr == 1 && t->runs[0].done) {
		t->nr = 0;
		return;
	}
	popped = pop_done(t);
	nr = t->nr;
	if (!popped || !nr || nr >= depth)
		return;
	outer = &t->runs[(nr - 1) & (depth - 1)];
	kind = t->runs[nr].kind & (SCOPE_NR_KINDS - 1);
	now = now_of(t);
	start = row(t, SCOPE_ROW_START(nr));
	inner = row(t, SCOPE_ROW_INNER((nr - 1) & (depth - 1)));
	for (__u32 i = 0; !inclusive && i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] += now[i] - start[i] + (several_kinds ? more_inner[kind][i] : 0);
	outer->inner += popped;
}

/* Does the run that began last end now? Then no function was left without a return. */
static __always_inline bool is_latest(const struct scope_task *t, __u32 place, __u64 sp)
{
	const struct scope_run *run = &t->runs[(t->nr - 1) & (SCOPE_DEPTH - 1)];

	return is_at(run, place, sp) && run->sp == sp && !run->done;
}

static __always_inline __u32 why_lost(const struct scope_run *run)
{
	if (run->bad & SCOPE_BAD_SWITCH)
		return SCOPE_LOST_SWITCH;
	return run->bad ? SCOPE_LOST_MOVED : SCOPE_LOST_UNREAD;
}

/*
 * With --per-thread, all scopes have the row 0 in their cookies, except those of the calibration.
 */
static __always_inline __u32 row_of(const struct scope_task *t, const struct scope_run *run)
{
	return SCOPE_COOKIE_ROW(run->place) + (per_thread ? t->row : 0);
}

/* Ends the run @nr. If its counts are known, adds it to the totals. */
static __always_inline void end_run(struct scope_task *t, __u32 nr, __u32 above, bool good)
{
	struct scope_run *run = &t->runs[nr];

	run->done = 1;
	if (run->bad || !good)
		lose(why_lost(run), would_count(run));
	else if (run->phase && run->phase == gate.phase)
		add_run(t, nr, above, run->covered ? spare_row : row_of(t, run));
}

/*
 * @sp, @frame: as for begin_at(). The end of a system call is recognized without
 * @place.
 */
static __always_inline int end_in(struct scope_task *t, __u32 place, __u64 sp, const void *frame,
				  enum where where)
{
	__u32 above = 0;
	__u64 groups;
	bool good;
	__u32 nr;

	if (t->busy || !t->nr) {
		/*
		 * A function returns whose call was not seen: the call was before the count began,
		 * or the thread was forked inside the function. Or an interrupt called it while the
		 * state was busy; the beginning was then reported as lost.
		 */
		if (!sp && is_chosen(t, &groups))
			lose(t->busy ? SCOPE_LOST_BUSY : SCOPE_LOST_UNPAIRED, 1);
		return 0;
	}
	t->busy = 1;
	barrier();
	if (takes_branches)
		take_branches(t);
	good = read_thread(t, now_of(t), false);
	if (frame && sp == SCOPE_SP_FRAME)
		sp = frame_of(t, frame);
	nr = t->nr;
	if (!is_latest(t, place, sp)) {
		nr = find_run(t, place, sp);
		above = t->above;
		if (t->left)
			lose(SCOPE_LOST_JUMP, t->left);
		/* the runs inside the lost runs are now inside the run that ends */
		drop_lost(t);
	}
	/* the compiler knows the range of the result, but the verifier does not */
	asm volatile("" : "+r"(nr));
	/*
	 * A run that begins in the middle of a context switch is not recorded. If its end comes
	 * there too, there is nothing to check.
	 */
	if (where == IN_USER || nr || !t->away)
		check_switches(t);
	/* The mask changes nothing, but Linux 6.1 does not derive bounds from the comparison. */
	if (nr && nr <= depth)
		end_run(t, (nr - 1) & (depth - 1), above, good);
	else if (!sp && is_chosen(t, &groups))
		lose(SCOPE_LOST_UNPAIRED, 1);
	leave(t);
	barrier();
	t->busy = 0;
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
