// SPDX-License-Identifier: GPL-2.0-only
/*
 * A follower like perf's. It runs after the leader to which it is attached, and adds up the
 * leader's readings (see perf-abi.h).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

/* Set before load. Only this process and only this CPU are counted; -1: all. */
const volatile int only_tgid = -1, only_cpu = -1;

/* replaced by the leader's map before load */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} diff_readings SEC(".maps");

/* the sum, read by user space */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} accum_readings SEC(".maps");

/* at this point, the current task is still the task that is switched out */
SEC("fexit/on_switch")
int follow(void *ctx)
{
	struct bpf_perf_event_value *diff, *accum;
	int zero = 0;

	if (only_tgid != -1 && (int)(bpf_get_current_pid_tgid() >> 32) != only_tgid)
		return 0;
	if (only_cpu != -1 && (int)bpf_get_smp_processor_id() != only_cpu)
		return 0;
	diff = bpf_map_lookup_elem(&diff_readings, &zero);
	accum = bpf_map_lookup_elem(&accum_readings, &zero);
	if (!diff || !accum)
		return 0;
	accum->counter += diff->counter;
	accum->enabled += diff->enabled;
	accum->running += diff->running;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
