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

/* 0 → the number of lost runs, by enum scope_lost. Read by user space, written here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * SCOPE_NR_LOST);
	__uint(max_entries, 1);
} lost SEC(".maps");

/* Counts @nr lost runs. A thread can lose its CPU in the middle, so the additions are atomic. */
static __always_inline void lose(__u32 cause, __u64 nr)
{
	__u32 key = 0;
	__u64 *all = bpf_map_lookup_elem(&lost, &key);

	if (all && cause < SCOPE_NR_LOST && gate.phase)
		__sync_fetch_and_add(&all[cause], nr);
}

/* ---- which tasks are counted ---- */

/*
 * Returns whether a run that begins now counts. Stores in @groups the sets of the cgroups that the
 * thread is in. A thread that has had a run, and so has a state, is one of those that count.
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

/* Returns the state of the current thread if it has one. */
static __always_inline struct scope_task *this_thread(void)
{
	return bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
}

/* Returns whether @run is lost if its end is not seen. */
static __always_inline bool would_count(const struct scope_run *run)
{
	return run->phase == gate.phase && !run->covered;
}

/* ---- the runs of a thread: functions that the verifier checks once, each on its own ---- */

/*
 * Marks the functions that were left without a return: those whose stack is gone when the function
 * at @place is called with the stack pointer @sp. Returns the number of lost runs. Functions are on
 * the stack in the order of their calls, so the search ends at the first one that still runs.
 */
__noinline int drop_left(struct scope_task *t, __u32 place, __u64 sp)
{
	int nr = 0;

	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH; i++) {
		__u32 top = t->nr - 1 - i;
		struct scope_run *run;

		if (top >= SCOPE_DEPTH)
			break;
		run = &t->runs[top];
		if (run->done || !run->sp)
			continue;
		if (run->sp > sp || (run->sp == sp && run->place != place))
			break;
		run->done = 1;
		nr += would_count(run);
	}
	return nr;
}

/*
 * Removes the runs that are done from the top of the stack. Returns their number, which includes
 * the runs inside them if all are charged to the run around them.
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

/*
 * Finds the run of the scope at @place that ends at the stack pointer @sp, or its latest run if @sp
 * is 0. Sets t->above, and marks the functions whose stack is gone: t->left is their number.
 * Returns the number of the run + 1, or 0 if there is none.
 */
__noinline int find_run(struct scope_task *t, __u32 place, __u64 sp)
{
	if (!t)
		return 0;
	t->above = 0;
	t->left = 0;
	for (__u32 i = 0; i < SCOPE_DEPTH; i++) {
		__u32 nr = t->nr - 1 - i;
		struct scope_run *run;

		if (nr >= SCOPE_DEPTH)
			break;
		run = &t->runs[nr];
		if (run->done)
			continue;
		if (run->place == place && run->sp == sp)
			return nr + 1;
		if (run->sp && run->sp < sp) {
			run->done = 1;
			t->left += would_count(run);
		} else {
			t->above = nr;
		}
	}
	return 0;
}

/* Forgets all runs. Returns the number of those that would have been counted. */
__noinline int drop_all(struct scope_task *t)
{
	int nr = 0;

	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++)
		nr += !t->runs[i].done && would_count(&t->runs[i]);
	t->nr = 0;
	return nr;
}

/*
 * If a context switch was not seen, marks all runs as bad. Those that begin later are good again,
 * because only differences of readings count.
 */
__noinline int mark_bad(struct scope_task *t)
{
	if (!t)
		return 0;
	for (__u32 i = 0; i < SCOPE_DEPTH && i < t->nr; i++)
		t->runs[i].bad = 1;
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

		if (!run->done && would_count(run) &&
		    SCOPE_COOKIE_ROW(run->place) == SCOPE_COOKIE_ROW(place))
			return 1;
	}
	return 0;
}

/* ---- begin and end ---- */

static __always_inline void check_switches(struct scope_task *t)
{
	if (t->missed || t->away)
		mark_bad(t);
}

static __always_inline void clear_inner(struct scope_task *t, __u32 run)
{
	__u64 *inner = row(t, SCOPE_ROW_INNER(run));

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] = 0;
}

static __always_inline void push(struct scope_task *t, __u32 place, __u64 sp, __u64 groups)
{
	__u32 covered = inclusive ? is_covered(t, place) : 0, nr = t->nr;
	struct scope_run *run;

	if (nr >= SCOPE_DEPTH) {
		/* a stack pointer shows which run ends, but only the ends of functions have one */
		lose(SCOPE_LOST_DEEP, (sp ? 0 : drop_all(t)) + !covered);
		return;
	}
	/* the base may have any value, because only differences of readings count */
	if (!nr) {
		t->missed = 0;
		t->away = 0;
	} else {
		check_switches(t);
	}
	/* Linux 6.1 forgets the range of a value that was on the stack when it was checked */
	asm volatile("" : "+r"(nr));
	nr &= SCOPE_DEPTH - 1;
	run = &t->runs[nr];
	/* the run that was here before contained others */
	if (run->inner)
		clear_inner(t, nr);
	run->sp = sp;
	run->groups = groups;
	run->place = place;
	run->phase = gate.phase;
	run->inner = 0;
	run->done = 0;
	run->bad = 0;
	run->covered = covered;
	barrier();
	/* from here on, context switches change the base */
	t->nr = nr + 1;
	barrier();
	if (read_thread(t, row(t, SCOPE_ROW_START(nr)), true))
		return;
	t->nr = nr;
	lose(SCOPE_LOST_UNREAD, 1);
}

/* @sp: the stack pointer when the function returns; 0: the scope has two points. */
static __always_inline int begin(__u64 cookie, __u64 sp)
{
	struct scope_task *t = this_thread();
	__u32 place = cookie;
	__u64 groups;

	if (!is_chosen(t, &groups))
		return 0;
	if (!t)
		t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t || t->busy) {
		lose(t ? SCOPE_LOST_BUSY : SCOPE_LOST_NO_MEMORY, 1);
		return 0;
	}
	t->busy = 1;
	barrier();
	if (sp && t->nr) {
		int nr = drop_left(t, place, sp);

		if (nr)
			lose(SCOPE_LOST_JUMP, nr);
		pop_done(t);
	}
	push(t, place, sp, groups);
	barrier();
	t->busy = 0;
	return 0;
}

/* Removes the runs on top that are done, and charges them to the run below, which contains them. */
static __always_inline void leave(struct scope_task *t)
{
	__u64 *now, *start, *inner;
	struct scope_run *outer;
	__u32 popped, nr;

	if (t->nr == 1 && t->runs[0].done) {
		t->nr = 0;
		return;
	}
	popped = pop_done(t);
	nr = t->nr;
	if (!popped || !nr || nr >= SCOPE_DEPTH)
		return;
	outer = &t->runs[(nr - 1) & (SCOPE_DEPTH - 1)];
	now = now_of(t);
	start = row(t, SCOPE_ROW_START(nr));
	inner = row(t, SCOPE_ROW_INNER((nr - 1) & (SCOPE_DEPTH - 1)));
	for (__u32 i = 0; !inclusive && i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] += now[i] - start[i];
	outer->inner += popped;
}

/* Is the run that ends the one that began last? Then no function has been left without a return. */
static __always_inline bool is_latest(const struct scope_task *t, __u32 place, __u64 sp)
{
	const struct scope_run *run = &t->runs[(t->nr - 1) & (SCOPE_DEPTH - 1)];

	return run->place == place && run->sp == sp && !run->done;
}

/* @sp: as for begin(). */
static __always_inline int end(__u64 cookie, __u64 sp)
{
	struct scope_task *t = this_thread();
	__u32 place = cookie, nr, above = 0;
	__u64 groups;
	bool good;

	if (!t)
		return 0;
	if (t->busy || !t->nr) {
		/*
		 * A function returns, but its call was not seen: it was called before the count
		 * began, or its thread was forked inside it.
		 */
		if (t->busy || (!sp && is_chosen(t, &groups)))
			lose(t->busy ? SCOPE_LOST_BUSY : SCOPE_LOST_UNPAIRED, 1);
		return 0;
	}
	t->busy = 1;
	barrier();
	good = read_thread(t, now_of(t), false);
	check_switches(t);
	nr = t->nr;
	if (!is_latest(t, place, sp)) {
		nr = find_run(t, place, sp);
		above = t->above;
		if (t->left)
			lose(SCOPE_LOST_JUMP, t->left);
	}
	/* the compiler knows the range of the result, but the verifier does not */
	asm volatile("" : "+r"(nr));
	if (nr && nr <= SCOPE_DEPTH) {
		struct scope_run *run = &t->runs[nr - 1];

		run->done = 1;
		if (run->bad || !good)
			lose(run->bad ? SCOPE_LOST_SWITCH : SCOPE_LOST_UNREAD, !run->covered);
		else if (run->phase && run->phase == gate.phase)
			add_run(t, nr - 1, above,
				run->covered ? spare_row : SCOPE_COOKIE_ROW(place));
	} else if (!sp && is_chosen(t, &groups)) {
		lose(SCOPE_LOST_UNPAIRED, 1);
	}
	leave(t);
	barrier();
	t->busy = 0;
	return 0;
}

#endif
