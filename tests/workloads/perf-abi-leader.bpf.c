// SPDX-License-Identifier: GPL-2.0-only
/*
 * A leader like perf's, for one event. At each context switch, it stores in `diff_readings` what
 * the event counted on this CPU since the previous switch. The names and formats are part of the
 * interface in perf-abi.h.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

/*
 * CPU → perf event. User space fills the map. The events stay in the map when its fd is closed.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(int));
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
} events SEC(".maps");

/* the count at the last switch; used only by this program */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} prev_readings SEC(".maps");

/* the count between the last two switches; read by followers, which run after this program */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} diff_readings SEC(".maps");

/* Does not use the context, so that user space can run the program without a context. */
SEC("raw_tp/sched_switch")
int on_switch(void *ctx)
{
	struct bpf_perf_event_value now, *prev, *diff;
	int zero = 0;

	prev = bpf_map_lookup_elem(&prev_readings, &zero);
	diff = bpf_map_lookup_elem(&diff_readings, &zero);
	if (!prev || !diff ||
	    bpf_perf_event_read_value(&events, bpf_get_smp_processor_id(), &now, sizeof(now)))
		return 0;
	diff->counter = now.counter - prev->counter;
	diff->enabled = now.enabled - prev->enabled;
	diff->running = now.running - prev->running;
	*prev = now;
	return 0;
}

/* Not a leader, because it has another name and does not read an event. */
SEC("?raw_tp/sched_switch")
int no_leader(void *ctx)
{
	return 2;
}

char LICENSE[] SEC("license") = "GPL";
