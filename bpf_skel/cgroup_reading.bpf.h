/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads all counters of a CPU, and adds (charges) the changes since the last reading to the counts
 * of a slot. cgroup_counter.h explains slots, rows and slices.
 */
#ifndef PSTAT_CGROUP_READING_BPF_H
#define PSTAT_CGROUP_READING_BPF_H

#include "cgroup_maps.bpf.h"
#define GATE_MESSAGES wakeups
#include "gate.bpf.h"
#include "perf_read.bpf.h"

#define MAX_CELLS (CGROUP_CELL_PLAIN + CGROUP_MAX_PLAIN + 3 * CGROUP_MAX_TIMED)

/*
 * Returns the row of the last reading on the CPU. In memory, the row of the next reading follows
 * this row.
 */
static __always_inline __u64 *last_of(struct cgroup_cpu *cpu)
{
	return (__u64 *)(cpu + 1);
}

/* Returns the value of a plain event, or @last if its counter cannot be read. */
static __always_inline __u64 read_plain(struct cgroup_cpu *cpu, __u32 event, __u64 last, __u32 id)
{
	__u64 value = bpf_perf_event_read(&events, event * nr_cpus + id);

	if (!is_read_error(value))
		return value;
	if (value != (__u64)-ENOENT)
		cpu->read_errors++;
	return last;
}

static __always_inline void read_timed(struct cgroup_cpu *cpu, __u32 event, __u64 *now,
				       const __u64 *last, __u32 id)
{
	struct bpf_perf_event_value value;
	long err = bpf_perf_event_read_value(&events, (nr_plain + event) * nr_cpus + id, &value,
					     sizeof(value));

	if (err) {
		if (err != -ENOENT)
			cpu->read_errors++;
		value.counter = last[0];
		value.enabled = last[1];
		value.running = last[2];
	}
	now[0] = value.counter;
	now[1] = value.enabled;
	now[2] = value.running;
}

static __always_inline void take(struct cgroup_cpu *cpu, __u64 *now, const __u64 *last, __u32 id)
{
	now[CGROUP_CELL_TIME] = bpf_ktime_get_ns();
	now[CGROUP_CELL_SWITCHES] = cpu->switches;
	now[CGROUP_CELL_CROSSED] = cpu->crossed;
	for (__u32 i = 0; i < CGROUP_MAX_PLAIN && i < nr_plain; i++)
		now[CGROUP_CELL_PLAIN + i] = read_plain(cpu, i, last[CGROUP_CELL_PLAIN + i], id);
	for (__u32 i = 0; i < CGROUP_MAX_TIMED && i < nr_timed; i++) {
		__u32 cell = CGROUP_CELL_PLAIN + nr_plain + 3 * i;

		read_timed(cpu, i, &now[cell], &last[cell], id);
	}
}

static __always_inline __u64 *row_of(__u32 slot, __u32 id)
{
	__u32 key = id * nr_slots + slot;

	return bpf_map_lookup_elem(&rows, &key);
}

/*
 * Returns the time for which the gate was open between the readings @last and @now, as a share of
 * the time between these readings (in the units of gate_share()). For the next call, also stores
 * the gate_time() of the reading @now. Without --start or --stop, returns GATE_WHOLE.
 */
static __always_inline __u64 next_share(struct cgroup_cpu *cpu, const __u64 *now, const __u64 *last)
{
	__u64 open, part;

	if (!gated)
		return GATE_WHOLE;
	open = gate_time(now[CGROUP_CELL_TIME]);
	part = open > cpu->gate_time ? open - cpu->gate_time : 0;
	cpu->gate_time = open;
	return part ? gate_share(part, now[CGROUP_CELL_TIME] - last[CGROUP_CELL_TIME]) : 0;
}

static __always_inline void add(const struct cgroup_cpu *cpu, const __u64 *now, const __u64 *last,
				__u32 id, __u64 share)
{
	__u64 *row = row_of(cpu->slot, id);

	if (!gated) {
		for (__u32 i = 0; row && i < MAX_CELLS && i < nr_cells; i++)
			row[i] += now[i] - last[i];
		return;
	}
	for (__u32 i = 0; row && i < MAX_CELLS && i < nr_cells; i++)
		row[i] += gate_scale(now[i] - last[i], share);
}

/*
 * Divides the counts of a slice on the CPU @id between two slots: cpu->slot until @when (ns), and
 * @to from then on. The counts are divided in proportion to time. @counted is the result of
 * next_share() for the slice. Returns 0, or 1 if a map lacks the entry of the CPU or of a slot.
 */
__noinline int divide(__u32 id, __u32 to, __u64 when, __u64 counted)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u64 share, first_part, length, *last, *now, *before, *after;

	if (!cpu)
		return 1;
	last = last_of(cpu);
	now = last + nr_cells;
	before = row_of(cpu->slot, id);
	after = row_of(to, id);
	if (!before || !after)
		return 1;
	first_part = when > last[CGROUP_CELL_TIME] ? when - last[CGROUP_CELL_TIME] : 0;
	length = now[CGROUP_CELL_TIME] - last[CGROUP_CELL_TIME];
	share = gate_share(first_part, length);
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++) {
		__u64 delta = gate_scale(now[i] - last[i], counted);
		__u64 first = gate_scale(delta, share);

		before[i] += first;
		after[i] += delta - first;
	}
	return 0;
}

/*
 * A change of the slot within a slice: from time `when` (ns) on, the slot is `to`. If `when` is 0,
 * the slice is not divided.
 */
struct turn {
	__u32 to;
	__u64 when;
};

/*
 * Ends the current slice, and begins a slice for @slot. If this CPU was counting, charges the
 * counts of the slice that ends to cpu->slot. If the slot changed within that slice (@turn),
 * divides the counts between two slots instead. If @want is 0, this CPU stops counting.
 */
static __always_inline void turn_to(struct cgroup_cpu *cpu, __u32 slot, __u32 want,
				    struct turn turn, __u32 id)
{
	__u64 *last = last_of(cpu), *now = last + nr_cells, share;

	take(cpu, now, last, id);
	share = next_share(cpu, now, last);
	if (cpu->on && turn.when)
		divide(id, turn.to, turn.when, share);
	else if (cpu->on)
		add(cpu, now, last, id, share);
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++)
		last[i] = now[i];
	cpu->slot = slot;
	cpu->on = want;
}

/*
 * Reads the counters at a point of --start or --stop. The thread can lose its CPU in this function.
 * on_switch() then changes cpu->busy and may take a reading, so the loop reads the counters again.
 * Returns false if this function has itself interrupted another program that uses the counters, or
 * if each attempt was interrupted. Otherwise, returns true, and the caller must clear cpu->busy.
 */
static __always_inline bool take_at_point(struct cgroup_cpu *cpu, __u64 *at, __u32 id)
{
	for (__u32 try = 0; try < 3; try++) {
		if (cpu->busy)
			return false;
		cpu->busy = CGROUP_AT_POINT;
		barrier();
		take(cpu, at, last_of(cpu), id);
		barrier();
		if (*(volatile __u32 *)&cpu->busy == CGROUP_AT_POINT)
			return true;
	}
	return false;
}

/*
 * Called on the CPU @id when a point of --start or --stop changes the gate. Reads the counters to
 * end the CPU's current slice, and charges the counts of the slice. Returns the time of the
 * reading, in ns. If the CPU does not count, or take_at_point() fails, does not end the slice, and
 * returns the current time.
 */
__noinline __u64 cut_slice(__u32 id)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u32 zero = 0;
	__u64 *at = bpf_map_lookup_elem(&at_point, &zero), now = bpf_ktime_get_ns(), *last;

	if (!cpu || !at || !cpu->on || cpu->skip)
		return now;
	if (!take_at_point(cpu, at, id)) {
		__sync_fetch_and_add(&gate.inexact, 1);
		return now;
	}
	last = last_of(cpu);
	add(cpu, at, last, id, next_share(cpu, at, last));
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++)
		last[i] = at[i];
	barrier();
	cpu->busy = 0;
	return at[CGROUP_CELL_TIME];
}

#endif
