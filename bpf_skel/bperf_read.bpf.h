/* SPDX-License-Identifier: GPL-2.0-only */
/* The perf events of a leader, and the function that reads all events of the current CPU. */
#ifndef PSTAT_BPERF_READ_BPF_H
#define PSTAT_BPERF_READ_BPF_H

#include "perf_read.bpf.h"
#include "bperf.h"

/*
 * Index of an event × nr_cpus + CPU id → perf event. BPF_F_PRESERVE_ELEMS keeps an event open after
 * the session that added it has ended, so that other sessions can still use the event. In leaders,
 * user space sets the size before load. In followers and in bperf_cpus.bpf.c, user space replaces
 * this map with the leader's map.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
} events SEC(".maps");

static __always_inline struct bpf_perf_event_value *state_row(struct bperf_state *s, __u64 row,
							      __u64 nr_events)
{
	return (struct bpf_perf_event_value *)(s + 1) + row * nr_events;
}

/*
 * Reads the event at @key in the map `events` by the method @how (enum bperf_how), and stores the
 * event's value and times in *@to. @now: the current time in ns. It is the value of a BPERF_CLOCK
 * event. If @how does not read the enabled and running times, both are set to @now. @switches: the
 * value of a BPERF_SWITCHES event. Returns 0 or -errno. After an error, *@to must not be used.
 */
static __always_inline long read_event(__u32 how, __u64 key, __u64 now, __u64 switches,
				       struct bpf_perf_event_value *to)
{
	__u64 value = now;

	if (how == BPERF_TIMES)
		return bpf_perf_event_read_value(&events, key, to, sizeof(*to));
	if (how == BPERF_SWITCHES)
		value = switches;
	else if (how == BPERF_VALUE || how == BPERF_SIBLING)
		value = bpf_perf_event_read(&events, key);
	if (how != BPERF_CLOCK && is_read_error(value))
		return (long)value;
	to->counter = value;
	to->enabled = to->running = now;
	return 0;
}

/*
 * Takes a reading: sets the totals to the current values of the counters, and the differences to
 * the changes since the last reading. The first reading on a CPU sets the differences to 0. All
 * counters are first read into the array of the differences; then the differences are computed. If
 * a counter cannot be read, the event keeps its last value. -ENOENT is not counted as an error,
 * because it means that the event is not open on this CPU. For example, the event's PMU may exist
 * only on other CPUs.
 *
 * A failed read is handled immediately. If the function kept a flag for each event until later, the
 * verifier would examine every combination of the flags.
 */
static __always_inline void take_reading(struct bperf_state *s,
					 const volatile struct bperf_plan *plan, __u32 nr_events,
					 __u32 nr_cpus)
{
	struct bpf_perf_event_value *totals = state_row(s, BPERF_ROW_TOTALS, nr_events);
	struct bpf_perf_event_value *diffs = state_row(s, BPERF_ROW_DIFFS, nr_events);
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 now = bpf_ktime_get_ns();

	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		long err = read_event(plan[i].how, i * nr_cpus + cpu, now, s->switches, &diffs[i]);

		if (err) {
			diffs[i] = totals[i];
			s->errors += err != -ENOENT;
		} else if (plan[i].how == BPERF_SIBLING) {
			diffs[i].enabled = diffs[plan[i].times_of].enabled;
			diffs[i].running = diffs[plan[i].times_of].running;
		}
	}
	if (!s->time) {
		s->first = now;
		for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++)
			totals[i] = diffs[i];
	}
	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		struct bpf_perf_event_value *diff = &diffs[i], *total = &totals[i];
		struct bpf_perf_event_value value = *diff;

		diff->counter = value.counter - total->counter;
		diff->enabled = value.enabled - total->enabled;
		diff->running = value.running - total->running;
		*total = value;
	}
	s->before = s->time;
	s->time = now;
}

#endif
