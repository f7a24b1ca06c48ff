// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of perf events, added up by where they fell. A program is run by the kernel at each sample, and what it returns, 0, tells
 * that the sample itself is not to be kept.
 *
 *	sample ──► sample__begin: which event, its times ──► inside the chosen programs? ──► profile_ips[ip, event] += 1
 */
#include "profile_sample.bpf.h"

#define RANGE_STEPS 24 /* halvings: enough for 16 million ranges */

const volatile __u32 nr_ranges;
const volatile __u64 lowest, highest; /* all ranges are in [lowest, highest) */

/* Key: see profile.h; value: what fell there. Written here, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct profile_ip_key);
	__type(value, struct profile_value);
} profile_ips SEC(".maps");

/* Key: place in the order of addresses. Written by user space before it begins. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_range);
} ranges SEC(".maps");

static __always_inline bool is_chosen(__u64 ip)
{
	__u32 low = 0, high = nr_ranges;

	if (ip < lowest || ip >= highest)
		return false;
	for (int i = 0; i < RANGE_STEPS; i++) {
		__u32 middle = low + (high - low) / 2;
		struct profile_range *range;

		if (low >= high)
			break;
		range = bpf_map_lookup_elem(&ranges, &middle);
		if (!range)
			break;
		if (ip < range->start)
			high = middle;
		else if (ip >= range->end)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/* Those inside BPF programs. */
SEC("perf_event")
int pstat_sample_progs(struct bpf_perf_event_data *ctx)
{
	struct profile_ip_key key = { .ip = sample_ip(ctx) };
	struct sample sample;

	if (!sample__begin(ctx, &sample))
		return 0;
	key.event = sample.event;
	if (is_chosen(key.ip))
		sample__keep(&sample, &profile_ips, &key);
	else
		sample__drop(&sample, &sample.fate->elsewhere);
	return 0;
}

/* All. */
SEC("perf_event")
int pstat_sample_ips(struct bpf_perf_event_data *ctx)
{
	struct profile_ip_key key = { .ip = sample_ip(ctx) };
	struct sample sample;

	if (!sample__begin(ctx, &sample))
		return 0;
	key.event = sample.event;
	key.pid = is_kernel_ip(key.ip) ? 0 : bpf_get_current_pid_tgid() >> 32;
	sample__keep(&sample, &profile_ips, &key);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
