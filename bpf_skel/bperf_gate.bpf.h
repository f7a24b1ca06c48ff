/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of bperf_alone.bpf.c: counts tasks or CPUs only while the gate is open. Programs at the
 * points of --start and --stop open and close the gate (gate.bpf.h). A slice is the time between
 * two consecutive readings on a CPU. If the gate was open for a share of a slice, this share of the
 * slice's counts is added to the totals.
 */
#ifndef PSTAT_BPERF_GATE_BPF_H
#define PSTAT_BPERF_GATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf_dead.bpf.h"
#include "bperf_members.bpf.h"
#include "bperf_read.bpf.h"
#include "bperf_source.bpf.h"
#include "bperf_totals.bpf.h"
#include "gate.bpf.h"

/*
 * count only while the gate is open; if `everybody` is also set (all tasks are counted),
 * on_switch() adds up the counts in slot 0
 */
const volatile bool gated = false;

/* 0 → the value of gate_time() at the last reading of the CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} gate_times SEC(".maps");

/*
 * 0 → nr_events values, read at a point of --start or --stop. Only the program that holds the lock
 * of the gate uses this map. User space sets the size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} at_point SEC(".maps");

/*
 * Returns the time for which the gate was open in the last slice, as a share of the slice's length
 * (in the units of gate_share()). Also updates `gate_times` for the next slice. The last slice is
 * the time between the readings at s->before and s->time.
 */
static __always_inline __u64 next_share(const struct bperf_state *s)
{
	__u64 *last, open, part;
	__u32 zero = 0;

	last = bpf_map_lookup_elem(&gate_times, &zero);
	if (!last)
		return 0;
	open = gate_time(s->time);
	part = open > *last ? open - *last : 0;
	*last = open;
	/* nothing is counted before the first reading */
	return s->before && part ? gate_share(part, s->time - s->before) : 0;
}

static __always_inline void add_share(__u32 slot, const struct bpf_perf_event_value *diffs,
				      __u64 share, bool is_switch)
{
	struct bpf_perf_event_value *sum = totals_of(slot);

	if (!sum || !(share + is_switch))
		return;
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *diff = &diffs[plan[i].row];

		sum[i].counter += plan[i].how == BPERF_SWITCHES ? is_switch :
								  gate_scale(diff->counter, share);
		sum[i].enabled += gate_scale(diff->enabled, share);
		sum[i].running += gate_scale(diff->running, share);
	}
}

/*
 * If the outgoing task is counted, adds the counts of the last slice, multiplied by next_share(),
 * to the totals of the task's slot (slot 0 if `everybody` is set). A context switch is counted if
 * the gate is open at the time of the switch. However, the last context switch of a member
 * (bperf_members.bpf.h) is not counted; at this switch, the task is removed from the members. If
 * @busy is not 0, no reading was taken, so nothing is added. @args: NULL if the reading was not at
 * a context switch.
 */
static __always_inline void follow_gated(struct bperf_state *s, const __u64 *args, __u32 busy)
{
	struct bperf_member *member = everybody ? 0 : outgoing_member();
	bool is_last = member && args && is_dead(args);
	__u32 slot = member ? member->slot : 0;
	__u64 share = busy ? 0 : next_share(s);

	if (!busy && (everybody || (member && !member->flags)))
		add_share(slot, state_row(s, BPERF_ROW_DIFFS, nr_rows), share,
			  args && !is_last && gate.phase);
	if (is_last)
		drop_current();
}

/*
 * At a point of --start or --stop, reads the counters into @to[], without changing the totals.
 * Stores the time in *@now. If the point is a uprobe, the thread can lose the CPU in this function.
 * on_switch() then takes a reading and clears BPERF_POINT, and the loop reads the counters again.
 * On success, leaves BPERF_POINT set. Returns false if the counters are in use, or if every attempt
 * was interrupted.
 */
static __always_inline bool read_at_point(struct bperf_state *s, struct bpf_perf_event_value *to,
					  __u64 *now)
{
	struct bpf_perf_event_value *totals = state_row(s, BPERF_ROW_TOTALS, nr_rows);
	__u32 cpu = bpf_get_smp_processor_id();

	for (__u32 try = 0; try < 3; try++) {
		if (s->busy)
			return false;
		s->busy = BPERF_POINT;
		barrier();
		*now = bpf_ktime_get_ns();
		for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
			if (read_event(plan[i].how, i * nr_cpus + cpu, *now, s->switches, &to[i])) {
				to[i] = totals[i];
			} else if (plan[i].how == BPERF_SIBLING) {
				to[i].enabled = to[plan[i].times_of].enabled;
				to[i].running = to[plan[i].times_of].running;
			}
		}
		barrier();
		if (*(volatile __u32 *)&s->busy == BPERF_POINT)
			return true;
	}
	return false;
}

/*
 * Adds to @sum the share @share of the differences between @totals and @at. @sum must not be NULL.
 * The caller checks this: with a check in the loop, clang 19 would compute addresses before the
 * check, and the verifier would refuse the program.
 */
static __always_inline void add_since(struct bpf_perf_event_value *sum,
				      const struct bpf_perf_event_value *totals,
				      const struct bpf_perf_event_value *at, __u64 share)
{
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		const struct bpf_perf_event_value *total = &totals[i];

		if (plan[i].how != BPERF_SWITCHES)
			sum[i].counter += gate_scale(at[i].counter - total->counter, share);
		sum[i].enabled += gate_scale(at[i].enabled - total->enabled, share);
		sum[i].running += gate_scale(at[i].running - total->running, share);
	}
}

/*
 * Ends the current slice of the CPU at a point of --start or --stop: adds the counts until @now to
 * the totals of @slot, as on_switch() does at a context switch. @at: the values of the counters at
 * @now. If the thread loses the CPU in this function, a part of the slice is not counted.
 */
static __always_inline void end_slice(struct bperf_state *s, const struct bpf_perf_event_value *at,
				      __u64 now, __u32 slot)
{
	struct bpf_perf_event_value *totals = state_row(s, BPERF_ROW_TOTALS, nr_rows);
	struct bpf_perf_event_value *sum = totals_of(slot);
	bool is_first = !s->time;
	__u64 share;

	s->before = s->time;
	s->time = now;
	share = next_share(s);
	if (is_first)
		s->first = now;
	if (sum)
		add_since(sum, totals, at, share);
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++)
		totals[i] = at[i];
}

/*
 * Reads the counters, which ends the current slice, and adds the counts of the slice to the totals
 * of @slot. Returns the time of this reading in ns. If the counters cannot be read, does not end
 * the slice, and returns the current time.
 */
static __always_inline __u64 cut_slice(__u32 slot)
{
	struct bpf_perf_event_value *at;
	__u64 now = bpf_ktime_get_ns();
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&source, &zero);
	at = bpf_map_lookup_elem(&at_point, &zero);
	if (!s || !at)
		return now;
	if (!read_at_point(s, at, &now)) {
		__sync_fetch_and_add(&gate.inexact, 1);
		return now;
	}
	end_slice(s, at, now, slot);
	barrier();
	s->busy &= ~BPERF_POINT;
	return now;
}

/*
 * Returns the time for which the gate has been open since the last reading, as a share of the time
 * since that reading (in the units of gate_share()). Returns 0 if the counters are in use, or have
 * not been read yet. Does not read the counters or begin a slice.
 */
static __always_inline __u64 share_until_now(const struct bperf_state *s)
{
	__u64 now = bpf_ktime_get_ns(), open, *last;
	__u32 zero = 0;

	last = bpf_map_lookup_elem(&gate_times, &zero);
	if (!last || s->busy || !s->time)
		return 0;
	open = gate_time(now);
	return open > *last ? gate_share(open - *last, now - s->time) : 0;
}

#endif
