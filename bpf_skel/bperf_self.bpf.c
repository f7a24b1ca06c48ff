// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a process read its own counts. Each counted thread has a slot (struct bperf_self_slot). At
 * the end of each slice (the time between two consecutive readings of the leader, see bperf.h),
 * follow_self() adds the counts of the slice to the sums in the slot of the thread that has just
 * run. To get its current count, a thread runs the program look() with BPF_PROG_TEST_RUN.
 *
 *	a leader's on_switch ──► follow_self (fexit): a thread of the process?
 *	                         ─► its slot's sums += differences
 *	the thread, by a system call ──► look: sums + (counter now - leader's last reading)
 *	                                 ─► its slot's answer
 *
 * look() neither runs the leader nor prevents other processes from running the leader. A test run
 * of the leader can interrupt look() and move a part of the count from the current slice to the
 * sums. To detect this, look() reads a mark, which identifies the leader's last reading, before and
 * after it computes the count. If the mark has changed, look() computes the count again.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bperf_self.h"
#include "bperf_dead.bpf.h"
#include "bperf_read.bpf.h"
#include "bperf_source.bpf.h"

#define TRIES 8

char LICENSE[] SEC("license") = "GPL";

/* ---- set before load ---- */
const volatile __u32 nr_rows = 1; /* the number of the leader's events */
const volatile __u32 nr_sums = 1; /* the process can read the first nr_sums events */
const volatile __u32 nr_cpus = 1;
const volatile bool of_pstat = true; /* pstat made the leader; false: another tool made it */
const volatile struct bperf_plan plan[BPERF_MAX_SHARED] = {};

/* The id of the process in the initial PID namespace. The first run of look() sets it. */
volatile __u64 tgid = 0;

/*
 * slot → struct bperf_self_slot and sums. BPF programs write this map, and the process reads it.
 * User space sets the size of the entries before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_self_slot));
	__uint(max_entries, BPERF_SELF_THREADS);
	__uint(map_flags, BPF_F_MMAPABLE);
} slots SEC(".maps");

/*
 * Address of a task_struct → slot. The map has room for more threads than there are slots, because
 * an exiting thread stays in the map until its last context switch, even if its slot already
 * belongs to another thread.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 2 * BPERF_SELF_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
} members SEC(".maps");

static __always_inline struct bpf_perf_event_value *sum_of(struct bperf_self_slot *slot, __u64 row)
{
	return (struct bpf_perf_event_value *)(slot + 1) + row;
}

/* ---- slices that have ended ---- */

/*
 * Returns the slot of the running task, or NULL if the task has no slot. For example, an exiting
 * task has no slot if its old slot already belongs to another thread.
 */
static __always_inline struct bperf_self_slot *current_slot(void)
{
	__u64 task = bpf_get_current_task();
	struct bperf_self_slot *slot;
	__u32 *nr;

	nr = bpf_map_lookup_elem(&members, &task);
	slot = nr ? bpf_map_lookup_elem(&slots, nr) : 0;
	return slot && slot->task == task ? slot : 0;
}

/*
 * Returns the differences of the reading that the leader has just taken, or NULL if the leader was
 * busy and took no reading.
 */
static __always_inline struct bpf_perf_event_value *leaders_diffs(void)
{
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s || !of_pstat)
		return (struct bpf_perf_event_value *)s;
	return s->busy ? 0 : state_row(s, BPERF_ROW_DIFFS, nr_rows);
}

static __always_inline void add_diffs(struct bperf_self_slot *slot,
				      const struct bpf_perf_event_value *diffs, bool is_switch)
{
	for (__u32 i = 0; i < BPERF_MAX_SHARED && i < nr_sums; i++) {
		struct bpf_perf_event_value *sum = sum_of(slot, i);

		sum->counter += plan[i].how == BPERF_SWITCHES ? is_switch : diffs[i].counter;
		sum->enabled += diffs[i].enabled;
		sum->running += diffs[i].running;
	}
}

/*
 * At the last context switch of the running thread, removes the thread from @slot (NULL: it has no
 * slot, or its slot already belongs to another thread) and from `members`, because a new task can
 * get the same address after this switch.
 */
static __always_inline void drop_dead(struct bperf_self_slot *slot, const __u64 *args)
{
	__u64 task = bpf_get_current_task();

	if (!is_dead(args))
		return;
	if (slot)
		slot->task = 0;
	bpf_map_delete_elem(&members, &task);
}

SEC("fexit")
int BPF_PROG(follow_self, __u64 *args)
{
	struct bpf_perf_event_value *diffs;
	struct bperf_self_slot *slot;

	if (bpf_get_current_pid_tgid() >> 32 != tgid)
		return 0;
	slot = current_slot();
	diffs = slot ? leaders_diffs() : 0;
	if (diffs)
		add_diffs(slot, diffs, args);
	if (args)
		drop_dead(slot, args);
	return 0;
}

/* ---- the current slice ---- */

/*
 * Gives the slot @nr to the calling thread, and clears the sums in the slot. Returns false if
 * `members` is full.
 */
static __always_inline bool take_slot(struct bperf_self_slot *slot, __u32 nr)
{
	__u64 task = bpf_get_current_task();

	for (__u32 i = 0; i < BPERF_MAX_SHARED && i < nr_sums; i++) {
		struct bpf_perf_event_value *sum = sum_of(slot, i);

		sum->counter = sum->enabled = sum->running = 0;
	}
	if (bpf_map_update_elem(&members, &task, &nr, BPF_ANY))
		return false;
	slot->task = task;
	return true;
}

/*
 * Stores in *@part the count of event @row on this CPU since the leader's last reading. Stores in
 * *@mark the time of the leader's last reading, which identifies this reading. Returns 0 or -errno.
 */
static __always_inline long look_at_pstat(__u32 row, struct bpf_perf_event_value *part, __u64 *mark)
{
	struct bpf_perf_event_value base;
	struct bperf_state *s;
	__u32 zero = 0;
	long err;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s || !s->time)
		return -ENOENT;
	*mark = *(volatile __u64 *)&s->time;
	base = state_row(s, BPERF_ROW_TOTALS, nr_rows)[row];
	err = read_event(plan[row].how, row * nr_cpus + bpf_get_smp_processor_id(),
			 bpf_ktime_get_ns(), base.counter, part);
	part->counter -= base.counter;
	part->enabled -= base.enabled;
	part->running -= base.running;
	return err;
}

static __always_inline __u64 mark_of_pstat(void)
{
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&source, &zero);
	return s ? *(volatile __u64 *)&s->time : 0;
}

/*
 * Used if another tool made the leader. Returns the enabled time of the leader's last reading. The
 * enabled time increases at each reading, so it identifies the reading.
 */
static __always_inline __u64 mark_of_other(void)
{
	struct bpf_perf_event_value *last;
	__u32 zero = 0;

	last = bpf_map_lookup_elem(&before, &zero);
	return last ? *(volatile __u64 *)&last->enabled : 0;
}

static __always_inline long look_at_other(struct bpf_perf_event_value *part, __u64 *mark)
{
	struct bpf_perf_event_value *last, base;
	__u32 zero = 0;
	long err;

	last = bpf_map_lookup_elem(&before, &zero);
	if (!last)
		return -ENOENT;
	*mark = *(volatile __u64 *)&last->enabled;
	base = *last;
	err = bpf_perf_event_read_value(&events, bpf_get_smp_processor_id(), part, sizeof(*part));
	part->counter = plan[0].how == BPERF_SWITCHES ? 0 : part->counter - base.counter;
	part->enabled -= base.enabled;
	part->running -= base.running;
	return err;
}

static __always_inline int answer(struct bperf_self_slot *slot, __u32 row)
{
	struct bpf_perf_event_value *sum = sum_of(slot, row), part = {}, whole;

	for (int i = 0; i < TRIES; i++) {
		__u64 mark = 0;
		long err = of_pstat ? look_at_pstat(row, &part, &mark) :
				      look_at_other(&part, &mark);

		if (err)
			return BPERF_SELF_NOT_HERE;
		barrier();
		whole = *sum;
		barrier();
		if ((of_pstat ? mark_of_pstat() : mark_of_other()) != mark)
			continue;
		slot->answer.counter = whole.counter + part.counter;
		slot->answer.enabled = whole.enabled + part.enabled;
		slot->answer.running = whole.running + part.running;
		slot->seq++;
		return BPERF_SELF_OK;
	}
	return BPERF_SELF_DISTURBED;
}

/*
 * Stores the calling thread's current count of one event in the thread's slot. User space does not
 * attach this program. Instead, the thread runs the program with BPF_PROG_TEST_RUN on its current
 * CPU, and cannot migrate during the run. @ctx: struct bperf_self_ask. Returns a value of enum
 * bperf_self_result.
 */
SEC("raw_tp")
int look(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 me = bpf_get_current_pid_tgid() >> 32;
	__u32 nr = (__u32)ctx->args[0];
	__u64 row = ctx->args[1];
	struct bperf_self_slot *slot;

	if (!tgid)
		tgid = me;
	if (me != tgid)
		return BPERF_SELF_OTHER_PROCESS;
	slot = bpf_map_lookup_elem(&slots, &nr);
	if (!slot)
		return BPERF_SELF_NO_ROOM;
	if (slot->task != bpf_get_current_task() && !take_slot(slot, nr))
		return BPERF_SELF_NO_ROOM;
	for (__u32 i = 0; i < BPERF_MAX_SHARED && i < nr_sums; i++)
		if (i == row)
			return answer(slot, i);
	return BPERF_SELF_NOT_HERE;
}
