/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads all counters of a CPU, and charges the changes since the last reading to slots. */
#ifndef PSTAT_CGROUP_READING_BPF_H
#define PSTAT_CGROUP_READING_BPF_H

#include "cgroup_maps.bpf.h"
#include "perf_read.bpf.h"

#define MAX_CELLS (CGROUP_CELL_PLAIN + CGROUP_MAX_PLAIN + 3 * CGROUP_MAX_TIMED)

/* Returns the row of the last reading on the CPU; the room for the next reading follows it. */
static __always_inline __u64 *last_of(struct cgroup_cpu *cpu)
{
	return (__u64 *)(cpu + 1);
}

/* A counter that cannot be read keeps its last value. */
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

static __always_inline void add(const struct cgroup_cpu *cpu, const __u64 *now, const __u64 *last,
				__u32 id)
{
	__u64 *row = row_of(cpu->slot, id);

	for (__u32 i = 0; row && i < MAX_CELLS && i < nr_cells; i++)
		row[i] += now[i] - last[i];
}

/*
 * Returns @delta × @share / 2^20, rounded to the nearest integer. Truncation would lose counts: a
 * small count would become smaller even if the share is nearly 1.
 */
static __always_inline __u64 scale(__u64 delta, __u64 share)
{
	return (delta >> 20) * share + (((delta & ((1 << 20) - 1)) * share + (1 << 19)) >> 20);
}

/*
 * Divides the counts of a slice on the CPU @id. The slice began in the slot cpu->slot, and belongs
 * to the slot @to from @when (ns) on. The counts are divided as if they had been counted evenly
 * over time. Returns 0, or 1 if they cannot be divided.
 */
__noinline int divide(__u32 id, __u32 to, __u64 when)
{
	struct cgroup_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	__u64 share = 1 << 20, first_part, length, *last, *now, *before, *after;

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
	if (length >> 44) { /* several hours: a shift by 20 bits would overflow */
		first_part >>= 20;
		length >>= 20;
	}
	if (first_part < length)
		share = (first_part << 20) / length;
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++) {
		__u64 delta = now[i] - last[i], first = scale(delta, share);

		before[i] += first;
		after[i] += delta - first;
	}
	return 0;
}

/* A change of slot within a slice: the slot @to owns it from @when (ns) on; 0: no change. */
struct turn {
	__u32 to;
	__u64 when;
};

/*
 * Charges the current slice. From here on, this CPU counts for @slot, or not at all if @want is 0.
 */
static __always_inline void turn_to(struct cgroup_cpu *cpu, __u32 slot, __u32 want,
				    struct turn turn, __u32 id)
{
	__u64 *last = last_of(cpu), *now = last + nr_cells;

	take(cpu, now, last, id);
	if (cpu->on && turn.when)
		divide(id, turn.to, turn.when);
	else if (cpu->on)
		add(cpu, now, last, id);
	for (__u32 i = 0; i < MAX_CELLS && i < nr_cells; i++)
		last[i] = now[i];
	cpu->slot = slot;
	cpu->on = want;
}

#endif
