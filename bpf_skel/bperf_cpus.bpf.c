// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repairs a leader of shared counters on a CPU that went offline and came back: the kernel has taken the CPU's perf events out for
 * good, and user space puts new ones, which begin at zero, in their places.
 *
 *	run on the CPU:  look, look ─► hold ─► (user space replaces events, which are still disabled) ─► begin ─► (user space enables them)
 *
 * Between hold and begin the leader takes no reading there, so that nobody sees the new zero as a difference to the old count.
 * Any session can load these programs on the maps of any leader of this version. Only `look`
 * is loaded before a CPU comes or goes.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"
#include "bperf_read.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* set before load; of the leader */
const volatile __u32 nr_events = 0;
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};

/* The leader's state; user space puts the leader's own map in its place. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} state SEC(".maps");

/* CPU id → not 0: it is offline, as far as user space knows. Cleared here when the CPU is back. The size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} away SEC(".maps");

/* row → the event's enabled time on this CPU when it was looked at last. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, BPERF_MAX_EVENTS);
} looked SEC(".maps");

/*
 * Which perf events count on this CPU? Returns a bit for each of the 32 rows from @args[0] on whose enabled time stands still since the
 * program was run here before: none is open, or it is dead. The first run's answer means nothing.
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

/* From here on the leader takes no reading on this CPU. Returns 1 if one is being taken right now: user space then tries again. */
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

/* The total of a row goes on from @value, while total + carry stays as it is. What was never read has no time yet: as if read first. */
static __always_inline void set_total(struct bperf_state *s, __u32 row, const struct bpf_perf_event_value *value)
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
 * The same counter never goes back, so one that says less than at the last reading is a new one, whoever put it there: a session may
 * have been killed after its hold.
 */
static __always_inline bool is_new(__u32 how, const struct bpf_perf_event_value *value,
				   const struct bpf_perf_event_value *total)
{
	return value->counter < total->counter || (how >= BPERF_SIBLING && value->enabled < total->enabled);
}

/* The leader takes readings again; a new counter counts from what it says now. @args: a bit for each row that was replaced. */
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

		if (how < BPERF_VALUE || bpf_perf_event_read_value(&events, i * nr_cpus + cpu, &value, sizeof(value)))
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

/* The time is now, and none has gone by since the last reading. */
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
 * cpuhp_enter: @args are the CPU, the state that it is to reach, the state that is being entered or left, and a function. The first
 * steps of bringing a CPU up are taken on another one; the time that is skipped at each of them ends at the last, right before the
 * CPU starts. What runs on the CPU itself runs after that.
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
