// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repairs the state of a leader (the BPF program that reads the shared counters, see bperf.h) on a
 * CPU that went offline and came back. The perf events of such a CPU never count again. look()
 * finds these events, and user space replaces them with new events, which start from zero.
 *
 * on the CPU:  look, look ─► hold                                     ─► begin
 * user space:                    └► replaces events, still disabled ──┘      └► enables them
 *
 * Between hold() and begin(), the leader takes no reading on the CPU: the values of the new
 * counters are lower than the values in the leader's last reading, so the differences would be
 * negative. The programs in this file use the leader's maps, so a session can load them for any
 * leader whose bperf_info.version is BPERF_INFO_VERSION. User space first loads only look(). It
 * loads the other programs when it has to replace an event, or finds a CPU offline.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"
#include "bperf_read.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* set before load to the values that the leader uses (struct bperf_info) */
const volatile __u32 nr_events = 0;
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};

/*
 * User space replaces this map with the map of the leader's state: `pstat_state`, or `source` in
 * bperf_alone.bpf.c.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} state SEC(".maps");

/*
 * CPU id → 1 if the CPU is offline, otherwise 0. User space sets the entry when it finds the CPU
 * offline. on_hotplug() or user space clears the entry when the CPU runs again. User space sets the
 * size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} away SEC(".maps");

/* Row (index of an event) → enabled time of the event on this CPU at the last run of look(). */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, BPERF_MAX_EVENTS);
} looked SEC(".maps");

/*
 * Checks up to 32 events, beginning with row @args[0] (bit 0 of the result). Returns a bit mask of
 * the events whose enabled time has not advanced since the previous run of look() on this CPU. Such
 * an event does not count (it is not open, or the kernel has removed it), or its clock is coarse
 * and has not advanced yet. The result of the first run is meaningless, because there is no
 * previous run to compare with.
 */
SEC("raw_tp")
int look(__u64 *args)
{
	struct bpf_perf_event_value value;
	__u32 cpu = bpf_get_smp_processor_id(), stopped = 0, first = (__u32)args[0];

	for (__u32 i = 0; i < 32; i++) {
		__u32 row = first + i;
		__u64 *last;

		if (row >= nr_events)
			break;
		last = bpf_map_lookup_elem(&looked, &row);
		if (!last)
			break;
		if (bpf_perf_event_read_value(&events, row * nr_cpus + cpu, &value, sizeof(value)))
			value.enabled = 0;
		stopped |= (__u32)(value.enabled == *last) << i;
		*last = value.enabled;
	}
	return (int)stopped;
}

/*
 * Stops the leader from taking readings on this CPU, and returns 0. If a program is taking or using
 * a reading (BPERF_BUSY), does nothing and returns 1. User space then runs hold() again.
 */
SEC("raw_tp")
int hold(void *ctx)
{
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&state, &zero);
	if (!s || s->busy & BPERF_BUSY)
		return 1;
	s->busy |= BPERF_HELD;
	return 0;
}

/*
 * Sets the total of the event at @row to @value, and changes the carry (struct bperf_state) so that
 * total + carry stays the same. There is one exception: if a BPERF_VALUE event has never been read,
 * each of its times (total + carry) becomes s->first. User space subtracts s->first, so these times
 * start from 0.
 */
static __always_inline void set_total(struct bperf_state *s, __u32 row,
				      const struct bpf_perf_event_value *value)
{
	struct bpf_perf_event_value *total = state_row(s, BPERF_ROW_TOTALS, nr_events) + row;
	struct bpf_perf_event_value *carry = state_row(s, BPERF_ROW_CARRY, nr_events) + row;

	if (plan[row].how == BPERF_VALUE && !total->enabled)
		total->enabled = total->running = s->first;
	carry->counter += total->counter - value->counter;
	carry->enabled += total->enabled - value->enabled;
	carry->running += total->running - value->running;
	*total = *value;
}

/*
 * Returns whether @value shows that the counter is new: a counter never decreases, so only a new
 * counter can have a value below the last reading. This check finds counters that were replaced by
 * a session that was killed before it ran begin().
 */
static __always_inline bool is_new(__u32 how, const struct bpf_perf_event_value *value,
				   const struct bpf_perf_event_value *total)
{
	return value->counter < total->counter ||
	       (how >= BPERF_SIBLING && value->enabled < total->enabled);
}

/*
 * Sets the totals of replaced counters to the current values of the new counters, and lets the
 * leader take readings again. @args[0]: a bit mask of the events whose counters user space has
 * replaced.
 */
SEC("raw_tp")
int begin(__u64 *args)
{
	struct bpf_perf_event_value *totals, value;
	__u64 replaced = args[0], now = bpf_ktime_get_ns();
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	struct bperf_state *s;

	s = bpf_map_lookup_elem(&state, &zero);
	if (!s)
		return 0;
	totals = state_row(s, BPERF_ROW_TOTALS, nr_events);
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		__u32 how = plan[i].how;

		if (how < BPERF_VALUE ||
		    bpf_perf_event_read_value(&events, i * nr_cpus + cpu, &value, sizeof(value)))
			continue;
		if (how == BPERF_VALUE)
			value.enabled = value.running = now;
		if (replaced >> i & 1 || is_new(how, &value, &totals[i]))
			set_total(s, i, &value);
	}
	barrier();
	s->busy &= ~BPERF_HELD;
	return 0;
}

/*
 * Sets the time of the last reading to the current time. Changes totals and carries so that no
 * count (total + carry) includes the time that is skipped in this way.
 */
static __always_inline void skip_time(struct bperf_state *s)
{
	struct bpf_perf_event_value *totals = state_row(s, BPERF_ROW_TOTALS, nr_events), value;
	__u64 now = bpf_ktime_get_ns();

	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		__u32 how = plan[i].how;

		if (how > BPERF_VALUE || !totals[i].enabled)
			continue;
		value.counter = how == BPERF_CLOCK ? now : totals[i].counter;
		value.enabled = value.running = now;
		set_total(s, i, &value);
	}
	s->time = now;
}

/*
 * Runs at the tracepoint cpuhp_enter, at each of the steps in which the kernel takes a CPU offline
 * or brings it online. Does nothing if the CPU's entry in the map `away` is 0. @args: the CPU, its
 * target state, the state of this step, and the kernel's function for this step.
 *
 * When a CPU comes online, the kernel executes the first steps on another CPU. At each of these
 * steps, this program excludes the time since the previous step (at the first step, since the CPU's
 * last reading) from all counts. The last of these steps runs right before the CPU starts, so
 * nearly all of the time for which the CPU was offline is excluded. The kernel executes all later
 * steps on the CPU itself. At the first of them, this program clears the CPU's entry in the map
 * `away`.
 */
SEC("raw_tp/cpuhp_enter")
int on_hotplug(__u64 *args)
{
	__u32 cpu = (__u32)args[0], zero = 0, *is_away;
	struct bperf_state *s;

	is_away = bpf_map_lookup_elem(&away, &cpu);
	if (!is_away || !*is_away)
		return 0;
	if (cpu == bpf_get_smp_processor_id()) {
		*is_away = 0;
		return 0;
	}
	s = bpf_map_lookup_percpu_elem(&state, &zero, cpu);
	if (s && s->time)
		skip_time(s);
	return 0;
}
