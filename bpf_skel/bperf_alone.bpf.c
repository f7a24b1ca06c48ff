// SPDX-License-Identifier: GPL-2.0-only
/*
 * A leader and its only follower in one program, on_switch. This program is used with --start or
 * --stop, or if counters cannot be shared, for example because the kernel refuses fexit.
 *
 * The follower of shared counters (bperf_follower.bpf.c) is a separate object, without the programs
 * and maps of the gate, which most sessions do not need. libbpf spends time on each program and map
 * of an object that it opens, even if they are not used.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define BPERF_GATED
#include "bperf.h"
#include "bperf_tasks.bpf.h"
#include "gate_points.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tp/sched_switch")
int on_switch(__u64 *ctx)
{
	struct bperf_member *member;
	struct bperf_state *s;
	__u32 zero = 0, busy;

	s = bpf_map_lookup_elem(&source, &zero);
	if (!s)
		return 0;
	busy = s->busy;
	if (gated)
		busy &= ~BPERF_POINT;
	s->switches += ctx != 0;
	if (!busy) {
		s->busy = BPERF_BUSY;
		barrier();
		take_reading(s, plan, nr_events, nr_cpus);
	}
	/*
	 * `member` is not needed if `gated` is set (follow_gated() looks it up), or if only
	 * `everybody` is set (all tasks are counted, and user space reads the totals in struct
	 * bperf_state)
	 */
	member = everybody || gated ? 0 : outgoing_member();
	if (member)
		follow_state(s, member, ctx, busy);
	if (gated)
		follow_gated(s, ctx, busy);
	if (!busy) {
		barrier();
		s->busy = 0;
	}
	return 0;
}

/*
 * Runs at the points of --start and --stop. If the point changes the gate (gate.bpf.h), ends the
 * current slice of this CPU (the time since the last reading), and opens or closes the gate. If
 * only some tasks are counted, only these tasks can open or close the gate.
 */
static __noinline int pass_point(bool stop)
{
	struct bperf_member *member = 0;

	if (!gate_changes(stop))
		return 0;
	if (!everybody) {
		member = current_member();
		if (!member || member->flags)
			return 0;
	}
	if (!gate_lock())
		return 0;
	if (gate_changes(stop))
		gate_turn(stop, cut_slice(member ? member->slot : 0));
	gate_unlock();
	return 0;
}
