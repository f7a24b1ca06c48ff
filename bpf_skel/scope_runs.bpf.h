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

#include "hist_buckets.bpf.h"
#include "scope_read.bpf.h"

/* set before load */
const volatile __u32 filter = SCOPE_FILTER_NONE;
/* pid namespace (device, inode) of the ids in `tasks`; 0: the initial one */
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;
const volatile __u32 hist = 0;	    /* there are histograms, so sort each run into a bucket */
const volatile __u64 hist_word = 0; /* offset in bytes of their word in a row */

/* 0 while counting is disabled; each enable stores another number. */
__u32 gate = 0;
/*
 * The cost of the counting itself, which is subtracted from the values of a histogram: the cost of
 * each run, what each run inside it adds, and what is added if the run is inside another one.
 */
__u64 hist_cost = 0;
__u64 hist_inner = 0;
__u64 hist_nested = 0;

/* Row of the report → struct scope_totals. Read by user space, written here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct scope_totals));
	__uint(max_entries, 1);
} totals SEC(".maps");

/* 0 → the number of lost runs, by enum scope_lost. Read by user space, written here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * SCOPE_NR_LOST);
	__uint(max_entries, 1);
} lost SEC(".maps");

/* id of a process or thread → unused. The runs of these tasks count. Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u8));
	__uint(max_entries, 1);
} tasks SEC(".maps");

/* Counts @nr lost runs. A thread can lose its CPU in the middle, so the additions are atomic. */
static __always_inline void lose(__u32 cause, __u64 nr)
{
	__u32 key = 0;
	__u64 *all = bpf_map_lookup_elem(&lost, &key);

	if (all && cause < SCOPE_NR_LOST && gate)
		__sync_fetch_and_add(&all[cause], nr);
}

/* ---- which tasks are counted ---- */

static __always_inline bool task_is_wanted(void)
{
	struct bpf_pidns_info ids;
	__u64 id;
	__u32 key;

	if (filter == SCOPE_FILTER_NONE)
		return true;
	if (pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids)))
			return false;
		key = filter == SCOPE_FILTER_PROCESS ? ids.tgid : ids.pid;
	} else {
		id = bpf_get_current_pid_tgid();
		key = filter == SCOPE_FILTER_PROCESS ? id >> 32 : id;
	}
	return bpf_map_lookup_elem(&tasks, &key) != (void *)0;
}

/* Returns the state of the current thread if it has one. */
static __always_inline struct scope_task *this_thread(void)
{
	return bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);
}

/* ---- the runs of a thread: functions that the verifier checks once, each on its own ---- */

/*
 * Marks the functions that were left without a return: those whose stack is gone when the function
 * @scope is called with the stack pointer @sp. Returns the number of lost runs. Functions are on
 * the stack in the order of their calls, so the search ends at the first one that still runs.
 */
__noinline int drop_left(struct scope_task *t, __u32 scope, __u64 sp)
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
		if (run->sp > sp || (run->sp == sp && run->scope != scope))
			break;
		run->done = 1;
		nr += run->phase == gate;
	}
	return nr;
}

/* Removes the runs that are done from the top of the stack. Returns their number. */
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
		nr++;
	}
	return nr;
}

/*
 * Finds the run of @scope that ends at the stack pointer @sp, or its latest run if @sp is 0. Sets
 * t->above, and marks the functions whose stack is gone: t->left is their number. Returns the
 * number of the run + 1, or 0 if there is none.
 */
__noinline int find_run(struct scope_task *t, __u32 scope, __u64 sp)
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
		if (run->scope == scope && run->sp == sp)
			return nr + 1;
		if (run->sp && run->sp < sp) {
			run->done = 1;
			t->left += run->phase == gate;
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
		nr += !t->runs[i].done && t->runs[i].phase == gate;
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

/* ---- begin and end ---- */

static __always_inline void check_switches(struct scope_task *t)
{
	if (t->missed || t->away)
		mark_bad(t);
}

static __always_inline void push(struct scope_task *t, __u32 scope, __u64 sp)
{
	__u32 nr = t->nr;
	struct scope_run *run;
	__u64 *inner;

	if (nr >= SCOPE_DEPTH) {
		/* a stack pointer shows which run ends, but only the ends of functions have one */
		lose(SCOPE_LOST_DEEP, sp ? 1 : drop_all(t) + 1);
		return;
	}
	if (!nr) {
		__u64 *base = row(t, SCOPE_ROW_BASE);

		for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
			base[i] = 0;
		t->missed = 0;
	}
	check_switches(t);
	run = &t->runs[nr];
	inner = row(t, SCOPE_ROW_INNER(nr));
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] = 0;
	run->sp = sp;
	run->scope = scope;
	run->phase = gate;
	run->inner = 0;
	run->done = 0;
	run->bad = 0;
	barrier();
	/* from here on, context switches change the base */
	t->nr = nr + 1;
	barrier();
	if (read_thread(t, SCOPE_ROW_START(nr), true))
		return;
	t->nr = nr;
	lose(SCOPE_LOST_UNREAD, 1);
}

/* @sp: the stack pointer when the function returns; 0: the scope has two points. */
static __always_inline int begin(__u64 cookie, __u64 sp)
{
	__u32 scope = SCOPE_COOKIE_SCOPE(cookie);
	struct scope_task *t = this_thread();

	if (!t && !task_is_wanted())
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
		int nr = drop_left(t, scope, sp);

		if (nr)
			lose(SCOPE_LOST_JUMP, nr);
		pop_done(t);
	}
	push(t, scope, sp);
	barrier();
	t->busy = 0;
	return 0;
}

/* The rows that hold what a run counted. */
struct run_rows {
	const __u64 *start, *end;
	const __u64 *inner; /* what was counted in other runs inside it */
};

static __always_inline __u64 count_of(const struct run_rows *rows, __u64 offset)
{
	return *(const __u64 *)((const void *)rows->end + offset) -
	       *(const __u64 *)((const void *)rows->start + offset) -
	       *(const __u64 *)((const void *)rows->inner + offset);
}

static __always_inline void add_to_hist(struct scope_totals *total, __u64 value, __u64 cost)
{
	__u64 *buckets = (void *)(total + 1) + row_size;
	__u32 bucket;

	value = value > cost ? value - cost : 0;
	bucket = bucket_of(value);
	if (bucket < PROG_HIST_BUCKETS)
		__sync_fetch_and_add(&buckets[bucket], 1);
	if (value > total->hist_max)
		total->hist_max = value;
}

/*
 * Adds the run @nr to the totals. Other threads do the same on this CPU: additions are atomic.
 * Every run executes the same instructions, so that calibration measures their cost.
 */
static __always_inline void add_run(struct scope_task *t, __u32 nr, __u32 key)
{
	struct scope_totals *total = bpf_map_lookup_elem(&totals, &key);
	__u32 inside = t->runs[nr].inner;
	struct run_rows rows = {
		.start = row(t, SCOPE_ROW_START(nr)),
		.end = row(t, t->above ? SCOPE_ROW_START(t->above & (SCOPE_DEPTH - 1)) :
					 SCOPE_ROW_NOW),
		.inner = row(t, SCOPE_ROW_INNER(nr)),
	};
	__u64 *sums;

	if (!total)
		return;
	sums = (void *)(total + 1);
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		__sync_fetch_and_add(&sums[i], count_of(&rows, i * sizeof(__u64)));
	__sync_fetch_and_add(&total->runs, 1);
	__sync_fetch_and_add(&total->inner, inside);
	__sync_fetch_and_add(&total->nested, nr != 0);
	if (hist)
		add_to_hist(total, count_of(&rows, hist_word),
			    hist_cost + inside * hist_inner + (nr ? hist_nested : 0));
}

/* Removes the runs on top that are done, and charges them to the run below, which contains them. */
static __always_inline void leave(struct scope_task *t)
{
	__u32 had = t->nr, popped = pop_done(t), nr = t->nr;
	__u64 *now, *start, *inner;
	struct scope_run *outer;

	if (!popped || !nr || nr >= SCOPE_DEPTH)
		return;
	outer = &t->runs[(nr - 1) & (SCOPE_DEPTH - 1)];
	now = row(t, SCOPE_ROW_NOW);
	start = row(t, SCOPE_ROW_START(nr));
	inner = row(t, SCOPE_ROW_INNER((nr - 1) & (SCOPE_DEPTH - 1)));
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		inner[i] += now[i] - start[i];
	outer->inner += had - nr;
}

/* @sp: as for begin(). */
static __always_inline int end(__u64 cookie, __u64 sp)
{
	__u32 scope = SCOPE_COOKIE_SCOPE(cookie), nr;
	struct scope_task *t = this_thread();
	bool good;

	if (!t)
		return 0;
	if (t->busy || !t->nr) {
		/*
		 * A function returns, but its call was not seen: it was called before the count
		 * began, or its thread was forked inside it.
		 */
		if (!sp || t->busy)
			lose(t->busy ? SCOPE_LOST_BUSY : SCOPE_LOST_UNPAIRED, 1);
		return 0;
	}
	t->busy = 1;
	barrier();
	good = read_thread(t, SCOPE_ROW_NOW, false);
	check_switches(t);
	nr = find_run(t, scope, sp);
	/* the compiler knows the range of the result, but the verifier does not */
	asm volatile("" : "+r"(nr));
	if (t->left)
		lose(SCOPE_LOST_JUMP, t->left);
	if (nr && nr <= SCOPE_DEPTH) {
		struct scope_run *run = &t->runs[nr - 1];

		run->done = 1;
		if (run->bad || !good)
			lose(run->bad ? SCOPE_LOST_SWITCH : SCOPE_LOST_UNREAD, 1);
		else if (run->phase && run->phase == gate)
			add_run(t, nr - 1, SCOPE_COOKIE_ROW(cookie));
	} else if (!sp) {
		lose(SCOPE_LOST_UNPAIRED, 1);
	}
	leave(t);
	barrier();
	t->busy = 0;
	return 0;
}

#endif
