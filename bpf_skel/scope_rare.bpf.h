/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subprograms that most runs do not need: they report lost runs, find the run that ends (not
 * necessarily the latest run), and move counts between the rows of runs (SCOPE_PAIR_...).
 */
#ifndef PSTAT_SCOPE_RARE_BPF_H
#define PSTAT_SCOPE_RARE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.bpf.h"
#include "scope_add.bpf.h"
#include "scope_read.bpf.h"
#include "scope_stack.bpf.h"

/*
 * Used only with several kinds of runs (SCOPE_KIND). User space subtracts the same cost of counting
 * from all runs: the cost for the first scope's kind. For each kind and each word of a reading,
 * more_own and more_inner contain the cost for this kind minus the cost that user space subtracts:
 * more_own for the run itself, and more_inner for the run around it.
 */
const volatile __u32 several_kinds = 0; /* set before load, for subprograms */
__u64 more_own[SCOPE_NR_KINDS][SCOPE_ROOM_WORDS] = {};
__u64 more_inner[SCOPE_NR_KINDS][SCOPE_ROOM_WORDS] = {};

/*
 * 0 → the numbers of lost runs, indexed by enum scope_lost. BPF programs write the map, and user
 * space reads it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * SCOPE_NR_LOST);
	__uint(max_entries, 1);
} lost SEC(".maps");

/*
 * Adds @nr to the number of runs lost because of @cause, unless the gate is closed. The thread can
 * lose its CPU during the addition, so the addition is atomic.
 */
static __noinline int lose(__u32 cause, __u64 nr)
{
	__u32 key = 0;
	__u64 *all = bpf_map_lookup_elem(&lost, &key);

	if (all && cause < SCOPE_NR_LOST && gate.phase)
		__sync_fetch_and_add(&all[cause], nr);
	return 0;
}

/*
 * set_inner() and clear_inner() initialize the row `inner` of the run @nr. With several kinds of
 * runs, set_inner() stores more_own[@kind] in the row, which is subtracted from the counts of the
 * run. Otherwise, clear_inner() sets the row to 0.
 */
static __noinline int set_inner(struct scope_task *t, __u32 nr, __u32 kind)
{
	__u64 *start = pair(t, SCOPE_PAIR_RUN(nr & (depth - 1)));

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		start[2 * i + 1] = more_own[kind & (SCOPE_NR_KINDS - 1)][i];
	return 0;
}

static __noinline int clear_inner(struct scope_task *t, __u32 nr)
{
	__u64 *start = pair(t, SCOPE_PAIR_RUN(nr & (depth - 1)));

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		start[2 * i + 1] = 0;
	return 0;
}

/*
 * Reports as lost a run that cannot begin because the thread already has the maximum number of runs
 * in progress. If the run is a function call, the stack pointer at its return will differ from the
 * values recorded for the runs in progress, so these runs stay valid. If the run is between two
 * points (@sp is 0), its end could be mistaken for the end of another run, so all runs in progress
 * are lost, too.
 */
static __noinline int lose_deep(struct scope_task *t, __u32 place, __u64 sp)
{
	bool covered = inclusive && is_covered(t, place);

	lose(SCOPE_LOST_DEEP, (sp ? 0 : drop_all(t)) + !covered);
	return 0;
}

/*
 * Removes the lost runs from the top of the stack. Without --inclusive, the counts of a lost run
 * itself are charged to the run around it, but the counts of the runs inside the lost run are not.
 * So this function adds the counts of the inner runs to the row `inner` of the run around the lost
 * run. pop_lost() cannot do this: the verifier allows a global function to access struct
 * scope_task, but not the rows after it.
 */
static __noinline int drop_lost(struct scope_task *t)
{
	for (__u32 i = 0; i < SCOPE_DEPTH; i++) {
		__u32 top = pop_lost(t), kind;
		__u64 *from, *to;

		if (!top || top >= depth)
			break;
		kind = t->runs[top].kind & (SCOPE_NR_KINDS - 1);
		from = pair(t, SCOPE_PAIR_RUN(top));
		to = pair(t, SCOPE_PAIR_RUN((top - 1) & (depth - 1)));
		for (__u32 word = 0; word < SCOPE_MAX_WORDS && word < shape.words; word++)
			to[2 * word + 1] +=
				from[2 * word + 1] - (several_kinds ? more_own[kind][word] : 0);
	}
	return 0;
}

/*
 * Removes the `done` runs at the top of the stack. Without --inclusive, adds the counts since the
 * beginning of the lowest removed run to the row `inner` of the run below, so that these counts are
 * subtracted from the run below.
 */
static __noinline int leave(struct scope_task *t)
{
	__u32 popped = pop_done(t), nr = t->nr, kind;
	__u64 *now, *start, *outer;

	if (!popped || !nr || nr >= depth)
		return 0;
	kind = t->runs[nr].kind & (SCOPE_NR_KINDS - 1);
	now = (__u64 *)(t + 1) + 1;
	start = pair(t, SCOPE_PAIR_RUN(nr));
	outer = pair(t, SCOPE_PAIR_RUN((nr - 1) & (depth - 1)));
	for (__u32 i = 0; !inclusive && i < SCOPE_MAX_WORDS && i < shape.words; i++)
		outer[2 * i + 1] +=
			now[2 * i] - start[2 * i] + (several_kinds ? more_inner[kind][i] : 0);
	t->runs[(nr - 1) & (depth - 1)].inner += popped;
	return 0;
}

/*
 * Reports @run, which has ended, as lost: its counts are not known, or the thread left the CPUs in
 * -C.
 */
static __noinline int lose_ended(struct scope_task *t, const struct scope_run *run)
{
	__u32 why = run->bad ? SCOPE_LOST_MOVED : SCOPE_LOST_UNREAD;

	lose(run->bad & SCOPE_BAD_SWITCH ? SCOPE_LOST_SWITCH : why, would_count(run));
	t->unread = 0;
	return 0;
}

/*
 * Called without --inclusive when the run @nr ends while later runs are in progress. t->above is
 * the index of the first later run. The counts since the beginning of that run belong to the later
 * runs. So before the run @nr is added to the totals, this function adds these counts to the row
 * `inner` of @nr. Afterwards, a second call with @back = true undoes this addition.
 */
static __noinline int lend_to_above(struct scope_task *t, __u32 nr, bool back)
{
	__u64 *inner = pair(t, SCOPE_PAIR_RUN(nr & (depth - 1))) + 1;
	__u64 *above = pair(t, SCOPE_PAIR_RUN(t->above & (depth - 1)));
	__u64 *now = (__u64 *)(t + 1) + 1;

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++) {
		__u64 counted = now[2 * i] - above[2 * i];

		inner[2 * i] += back ? -counted : counted;
	}
	return 0;
}

/*
 * Called if is_latest() returns false. Finds the run that ends at @place with the stack pointer
 * @sp. Returns the index of the run + 1, or 0 if no run ends. Without --inclusive, if later runs
 * are in progress, t->above stays set until end_of() clears it.
 */
static __noinline int find_earlier(struct scope_task *t, __u32 place, __u64 sp)
{
	int nr = find_run(t, place, sp);

	if (t->left)
		lose(SCOPE_LOST_JUMP, t->left);
	drop_lost(t);
	if (!nr || inclusive)
		t->above = 0;
	if (t->above)
		lend_to_above(t, nr - 1, false);
	return nr;
}

/*
 * Removes the run @nr, which has ended. If later runs are in progress, only marks the run as
 * `done`.
 */
static __noinline int end_of(struct scope_task *t, __u32 nr)
{
	if (t->above)
		lend_to_above(t, nr, true);
	t->above = 0;
	t->runs[nr & (SCOPE_DEPTH - 1)].done = 1;
	leave(t);
	return 0;
}

#endif
