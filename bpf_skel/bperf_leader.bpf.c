// SPDX-License-Identifier: GPL-2.0-only
/*
 * The leader of shared counters: at each context switch it reads the perf events of the CPU, and leaves what was counted since
 * the reading before where its followers find it, who run right behind it (fexit) and know whose that was.
 *
 *	sched_switch ──► on_switch: read ─► totals, differences ─► the events' diff maps (perf's followers)
 *	test run     ──►                                  └──────► (pstat's followers read them there)
 *
 * Followers find it through the pinned map by its name. They also run it on CPUs to bring the counts up to date, with no ctx:
 * then nothing is switched. A program that loads from ctx cannot be run without, so the memory behind it is not touched here.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"
#include "bperf_read.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* set before load */
const volatile __u32 nr_events = 0;
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};

/* The map keeps the events when whoever put them there ends: others go on counting with them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
} events SEC(".maps");

/* 0 → struct bperf_state and its rows; the size is set before load. Written here, read by followers and user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} pstat_state SEC(".maps");

/* 0 → what this leader is. Written by user space once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_info));
	__uint(max_entries, 1);
} pstat_leader SEC(".maps");

/* What a diff map is: the last difference of one event. */
struct diff_readings {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
};

/* event → its diff map, when it is shared. Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(key_size, sizeof(__u32));
	__uint(max_entries, 1);
	__array(values, struct diff_readings);
} diff_maps SEC(".maps");

/* Writes the differences, or zeros, to the diff maps. */
static __always_inline void tell_diffs(struct bperf_state *s, bool none)
{
	struct bpf_perf_event_value *diffs = state_row(s, BPERF_ROW_DIFFS, nr_events), *diff;
	__u32 zero = 0;

	for (__u32 i = 0; i < BPERF_MAX_EVENTS && i < nr_events; i++) {
		__u32 key = i;
		void *map;

		if (!plan[i].shared)
			continue;
		map = bpf_map_lookup_elem(&diff_maps, &key);
		diff = map ? bpf_map_lookup_elem(map, &zero) : 0;
		if (!diff)
			continue;
		if (none)
			diff->counter = diff->enabled = diff->running = 0;
		else
			*diff = diffs[i];
	}
}

SEC("raw_tp/sched_switch")
int on_switch(__u64 *ctx)
{
	struct bperf_state *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&pstat_state, &zero);
	if (!s)
		return 0;
	if (s->busy) {
		/* an interrupt brought this test run: the followers that come now have nothing to add */
		tell_diffs(s, true);
		return 0;
	}
	s->busy = 1;
	barrier();
	take_reading(s, ctx != 0, &events, plan, nr_events, nr_cpus);
	tell_diffs(s, false);
	barrier();
	s->busy = 0;
	return 0;
}
