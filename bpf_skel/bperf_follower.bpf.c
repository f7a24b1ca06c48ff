// SPDX-License-Identifier: GPL-2.0-only
/*
 * A follower of shared counters (bperf.h). It runs after each reading that a leader takes. If the
 * follower's session counts the task that has just run, the follower adds the differences between
 * the last two readings to the counts of this task.
 *
 *	a leader's on_switch ──► follow (fexit): does the session count the task?
 *	                                         ─► its slot's totals += differences
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bperf.h"
#include "bperf_tasks.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("fexit")
int BPF_PROG(follow, __u64 *args)
{
	struct bperf_member *member = outgoing_member();
	struct bperf_state *s;
	__u32 zero = 0;

	if (!member)
		return 0;
	s = bpf_map_lookup_elem(&source, &zero);
	if (s)
		follow_state(s, member, args, s->busy);
	return 0;
}

/*
 * Follows a leader that another tool made. Such a leader has no struct bperf_state whose totals
 * user space could read. So if `everybody` is set (all tasks are counted), this program adds up the
 * counts of all tasks.
 */
SEC("fexit")
int BPF_PROG(follow_foreign, __u64 *args)
{
	struct bpf_perf_event_value *diff;
	struct bperf_member *member;
	struct bperf_cpu *cpu;
	__u32 zero = 0;
	bool was_on;

	cpu = bpf_map_lookup_elem(&cpus, &zero);
	diff = bpf_map_lookup_elem(&source, &zero);
	if (!cpu || !diff)
		return 0;
	was_on = cpu->on;
	cpu->on = enabled;
	if (everybody) {
		if (was_on)
			add_diffs(0, diff, args);
		return 0;
	}
	member = outgoing_member();
	if (member)
		follow_member(member, args, diff, was_on);
	return 0;
}
