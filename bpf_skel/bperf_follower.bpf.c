// SPDX-License-Identifier: GPL-2.0-only
/*
 * A follower of shared counters. It attributes the difference of each reading that a leader takes
 * to the task that has just run, if the session counts that task.
 *
 *	a leader's on_switch ──► follow (fexit): is current a member?
 *	                                         ─► its slot's totals += differences
 *
 * If the kernel refuses fexit, the program on_switch in this file is leader and follower at the
 * same time, and shares with no other session.
 *
 * A task is identified by the address of its task_struct, which belongs to it from before
 * task_newtask until after its last context switch. A task that exists already when counting starts
 * is listed by id, and is identified by address once it is seen running. Counting of a task does
 * not begin and end at context switches, but at its exec (or creation), and where the kernel ends
 * counting in its exit. The part of the slice that counts there is what the counters have counted
 * since the leader's last reading.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bperf.h"
#include "bperf_dead.bpf.h"
#include "bperf_read.bpf.h"
#include "bperf_source.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* ---- set before load ---- */
const volatile __u32 nr_events = 0; /* number of the follower's events */
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};
const volatile __u32 nr_rows = 0; /* number of the leader's events */
const volatile bool of_pstat =
	/*
	 * the leader's state is in `source`; otherwise, one difference is there and the total is in
	 * `before`
	 */
	true;
const volatile bool everybody = false; /* count all tasks, in slot 0 */
const volatile bool inherit = false;   /* children of members become members */
const volatile bool from_exec = false; /* members wait for their exec */
/* pid namespace of the ids, unless it is the initial one */
const volatile __u64 pidns_dev = 0, pidns_ino = 0;

/*
 * Written by user space. The difference of a reading counts if the reading before it was taken at
 * or after on_ns, and before off_ns (CLOCK_MONOTONIC). A reading on each CPU at the start and at
 * the end makes both exact. Followers of leaders without times use `enabled` instead.
 */
volatile __u64 on_ns = 0, off_ns = 0;
volatile __u32 enabled = 0;
/*
 * Number of tasks in `by_id`. User space writes it before it attaches any program; later this
 * program does.
 */
volatile __s32 pending = 0;
/* Filters of addresses and ids, see BPERF_FILTER_BITS. */
__u64 member_bits[BPERF_FILTER_BITS / 64] = {};
__u64 named_bits[BPERF_FILTER_BITS / 64] = {};
/* Number of tasks in `more_members`. */
volatile __s32 nr_more = 0;
/* Number of tasks for which there was no room. */
volatile __u64 lost = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/*
 * slot → nr_events readings. User space sets the sizes before load and reads the map; it is written
 * here.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} totals SEC(".maps");

/*
 * Address of a task_struct → member. The map is preallocated, because memory is not always
 * available where tasks are forked. Preallocation for very many tasks would be expensive, so tasks
 * beyond this size go to more_members.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
} members SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
} more_members SEC(".maps");

/*
 * id of a thread that has not been seen running → the member that it becomes. Filled by user space.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_member));
	__uint(max_entries, 1);
} by_id SEC(".maps");

/* ---- members ---- */

static __always_inline __u32 current_tid(void)
{
	struct bpf_pidns_info ids = {};

	if (!pidns_ino)
		return (__u32)bpf_get_current_pid_tgid();
	if (bpf_get_ns_current_pid_tgid(pidns_dev, pidns_ino, &ids, sizeof(ids)))
		return 0;
	return ids.pid;
}

/* Multiplicative hashing: the upper bits are the best ones. */
static __always_inline __u32 bit_of(__u64 task)
{
	return (__u32)(task * 0x9E3779B97F4A7C15ULL >> 32) % BPERF_FILTER_BITS;
}

static __always_inline bool has_bit(const __u64 *bits, __u32 bit)
{
	return bits[bit / 64] >> (bit % 64) & 1;
}

static __always_inline struct bperf_member *find_member(__u64 task)
{
	struct bperf_member *member;

	if (!has_bit(member_bits, bit_of(task)))
		return 0;
	member = bpf_map_lookup_elem(&members, &task);
	return member || !nr_more ? member : bpf_map_lookup_elem(&more_members, &task);
}

static __always_inline long add_member(__u64 task, const struct bperf_member *member)
{
	__u32 bit = bit_of(task);
	long err;

	/* set the bit first, so that a concurrent lookup does not miss the member */
	__sync_fetch_and_or(&member_bits[bit / 64], 1ULL << (bit % 64));
	err = bpf_map_update_elem(&members, &task, member, BPF_ANY);
	if (!err)
		return 0;
	__sync_fetch_and_add(&nr_more, 1);
	err = bpf_map_update_elem(&more_members, &task, member, BPF_ANY);
	if (err)
		__sync_fetch_and_add(&nr_more, -1);
	return err;
}

static __always_inline void drop_current(void)
{
	__u64 task = bpf_get_current_task();

	if (bpf_map_delete_elem(&members, &task) && nr_more &&
	    !bpf_map_delete_elem(&more_members, &task))
		__sync_fetch_and_add(&nr_more, -1);
}

/* Returns the running task's entry in by_id, or NULL. */
static __always_inline struct bperf_member *find_named(__u32 *tid)
{
	*tid = current_tid();
	return has_bit(named_bits, *tid % BPERF_FILTER_BITS) ? bpf_map_lookup_elem(&by_id, tid) : 0;
}

/* Returns the member of the running task, found by address or by id, or NULL. */
static __always_inline struct bperf_member *current_member(void)
{
	struct bperf_member *member = find_member(bpf_get_current_task());
	__u32 tid;

	return member || !pending ? member : find_named(&tid);
}

/*
 * Returns the member of the task that is being switched away from, or NULL. If the task is found by
 * id, it is moved from by_id to the members by address. With from_exec, this does not happen here:
 * such a task gets its address entry at its exec, and nothing before the exec counts.
 */
static __always_inline struct bperf_member *outgoing_member(void)
{
	__u64 task = bpf_get_current_task();
	struct bperf_member *member = find_member(task);
	__u32 tid;

	if (member || from_exec || !pending)
		return member;
	member = find_named(&tid);
	if (!member || add_member(task, member))
		return member;
	if (!bpf_map_delete_elem(&by_id, &tid))
		__sync_fetch_and_add(&pending, -1);
	return find_member(task);
}

/* ---- adding up ---- */

static __always_inline struct bpf_perf_event_value *totals_of(__u32 slot)
{
	return bpf_map_lookup_elem(&totals, &slot);
}

static __always_inline void add_diffs(__u32 slot, const struct bpf_perf_event_value *diffs,
				      bool is_switch)
{
	struct bpf_perf_event_value *sum = totals_of(slot);

	if (!sum)
		return;
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *diff = &diffs[plan[i].row];

		sum[i].counter += plan[i].how == BPERF_SWITCHES ? is_switch : diff->counter;
		sum[i].enabled += diff->enabled;
		sum[i].running += diff->running;
	}
}

/* Returns whether the difference that follows a reading at @time counts. */
static __always_inline bool counts_from(__u64 time)
{
	/* read off_ns first, because user space writes it last: a new off_ns implies a new on_ns */
	__u64 off = off_ns;

	barrier();
	return time < off && time >= on_ns;
}

/*
 * Handles a reading that the leader has taken. @args: the tracepoint's arguments if the reading was
 * at a context switch, otherwise NULL. @counts: the differences count.
 *
 * The last context switch of a task does not count as a switch. Every switch is checked for it,
 * because the kernel sometimes skips programs at exits. A member that stayed in the map would make
 * the next task at the same address a member. If the exit was not seen, the last slice counts
 * completely.
 */
static __always_inline void follow_member(struct bperf_member *member, const __u64 *args,
					  const struct bpf_perf_event_value *diffs, bool counts)
{
	bool is_last = args && is_dead(args);

	if (!member->flags && counts)
		add_diffs(member->slot, diffs, args && !is_last);
	if (is_last)
		drop_current();
}

/*
 * Returns @time, or, if @busy is nonzero, a time from which nothing counts. Written without a
 * branch, because the verifier would otherwise examine all code after it twice.
 */
static __always_inline __u64 unless_busy(__u64 time, __u32 busy)
{
	return time | -(__u64)((busy + BPERF_HELD + BPERF_BUSY) / (BPERF_HELD + BPERF_BUSY + 1));
}

/*
 * @busy: the leader's `busy` before this reading. If it is nonzero, the leader took no reading, and
 * this only checks for the end of the task.
 */
static __always_inline void follow_state(struct bperf_state *s, struct bperf_member *member,
					 const __u64 *args, __u32 busy)
{
	follow_member(member, args, state_row(s, BPERF_ROW_DIFFS, nr_rows),
		      counts_from(unless_busy(s->before, busy)));
}

SEC("fexit")
int BPF_PROG(follow, __u64 *args)
{
	struct bperf_member *member = outgoing_member();
	struct bperf_state *s;
	__u32 zero = 0;

	if (!member)
		return 0;
	s = bpf_map_lookup_elem(&source, &zero);
	if (s)
		follow_state(s, member, args, s->busy);
	return 0;
}

/*
 * For a leader that is not pstat's. Its state has neither times nor totals, so `everybody` is
 * handled here, too.
 */
SEC("fexit")
int BPF_PROG(follow_foreign, __u64 *args)
{
	struct bpf_perf_event_value *diff;
	struct bperf_member *member;
	struct bperf_cpu *cpu;
	__u32 zero = 0;
	bool was_on;

	cpu = bpf_map_lookup_elem(&cpus, &zero);
	diff = bpf_map_lookup_elem(&source, &zero);
	if (!cpu || !diff)
		return 0;
	was_on = cpu->on;
	cpu->on = enabled;
	if (everybody) {
		if (was_on)
			add_diffs(0, diff, args);
		return 0;
	}
	member = outgoing_member();
	if (member)
		follow_member(member, args, diff, was_on);
	return 0;
}

SEC("raw_tp/sched_switch")
int on_switch(__u64 *ctx)
{
	struct bperf_member *member;
	struct bperf_state *s;
	__u32 zero = 0, busy;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s)
		return 0;
	busy = s->busy;
	s->switches += ctx != 0;
	if (!busy) {
		s->busy = BPERF_BUSY;
		barrier();
		take_reading(s, plan, nr_events, nr_cpus);
	}
	/* the state's totals contain the counts of all tasks */
	member = everybody ? 0 : outgoing_member();
	if (member)
		follow_state(s, member, ctx, busy);
	if (!busy) {
		barrier();
		s->busy = 0;
	}
	return 0;
}

/* ---- a task begins and ends between two readings ---- */

/*
 * Adds what the running task has counted since the last reading to its slot, or subtracts it if
 * @take_off is set. The times of an event that is never multiplexed are the time since that
 * reading.
 */
static __always_inline void add_part(const struct bperf_state *s, __u32 slot, bool take_off)
{
	struct bpf_perf_event_value *sum = totals_of(slot), now;
	const struct bpf_perf_event_value *last;
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	__u64 elapsed = of_pstat ? bpf_ktime_get_ns() - s->time : 0;

	last = of_pstat ? state_row((struct bperf_state *)s, BPERF_ROW_TOTALS, nr_rows) :
			  bpf_map_lookup_elem(&before, &zero);
	if (!sum || !last)
		return;
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *base = &last[plan[i].row];

		if (plan[i].how < BPERF_VALUE) {
			now.counter = plan[i].how == BPERF_CLOCK ? elapsed : 0;
			now.enabled = now.running = elapsed;
		} else {
			/* an event that cannot be read keeps its last value: see take_reading() */
			if (bpf_perf_event_read_value(&events, plan[i].row * nr_cpus + cpu, &now,
						      sizeof(now)))
				now = *base;
			now.counter -= base->counter;
			now.enabled = plan[i].how == BPERF_VALUE ? elapsed :
								   now.enabled - base->enabled;
			now.running = plan[i].how == BPERF_VALUE ? elapsed :
								   now.running - base->running;
		}
		sum[i].counter += take_off ? -now.counter : now.counter;
		sum[i].enabled += take_off ? -now.enabled : now.enabled;
		sum[i].running += take_off ? -now.running : now.running;
	}
}

/* Returns whether the current slice is counted. */
static __always_inline bool is_on(const struct bperf_state *s)
{
	struct bperf_cpu *cpu;
	__u32 zero = 0;

	/*
	 * busy: user space is replacing counters of this CPU, and their values do not belong to the
	 * slice
	 */
	if (of_pstat)
		return counts_from(unless_busy(s->time, s->busy));
	cpu = bpf_map_lookup_elem(&cpus, &zero);
	return cpu && cpu->on;
}

/* Calls add_part() while test runs of the leader are blocked. */
static __always_inline void add_part_alone(__u32 slot, bool take_off)
{
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s || !is_on(s))
		return;
	if (of_pstat)
		s->busy = BPERF_BUSY;
	barrier();
	add_part(s, slot, take_off);
	barrier();
	if (of_pstat)
		s->busy = 0;
}

/*
 * One program for two tracepoints, because each program takes time to load:
 * - task_newtask (child, flags): the parent runs, the child does not run yet.
 * - task_rename (task, new name): at an exec, right after the kernel starts the events that wait
 *   for one.
 *
 * The second argument tells them apart: a name is an address in the upper half, flags are not.
 */
SEC("raw_tp")
int on_task(struct bpf_raw_tracepoint_args *ctx)
{
	bool is_rename = (__s64)ctx->args[1] < 0;
	struct bperf_member *member, begun = {};

	/* another task can rename this one */
	if (is_rename && ctx->args[0] != bpf_get_current_task())
		return 0;
	member = current_member();
	if (!member ||
	    (is_rename ? !(from_exec && (member->flags & BPERF_MEMBER_WAITS)) : !inherit))
		return 0;
	begun.slot = member->slot;
	if (is_rename)
		add_part_alone(begun.slot, true);
	/* adds the child, or the task itself, whose entry by id is not used any more */
	if (add_member(ctx->args[0], &begun))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

static __always_inline int end_current(void)
{
	struct bperf_member *member = from_exec ? find_member(bpf_get_current_task()) :
						  current_member();

	if (!member || (member->flags & BPERF_MEMBER_GONE))
		return 0;
	if (!member->flags)
		add_part_alone(member->slot, false);
	member->flags |= BPERF_MEMBER_GONE;
	return 0;
}

/* Runs where the kernel ends counting for a task that exits. */
SEC("kprobe/perf_event_exit_task")
int on_exit_exact(void *ctx)
{
	return end_current();
}

/* Replaces on_exit_exact() on kernels without kprobes. It runs shortly before the exact place. */
SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	return end_current();
}
