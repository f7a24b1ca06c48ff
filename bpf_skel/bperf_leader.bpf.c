// SPDX-License-Identifier: GPL-2.0-only
/*
 * The leader: the BPF program that reads the shared counters. At each context switch, the leader
 * reads the perf events of the CPU, and stores the changes since the last reading. Each session
 * (running pstat process) that counts tasks has another BPF program, its follower, which runs right
 * after the leader (fexit). If the session counts the task that has just run, the follower adds
 * these changes to the counts of this task.
 *
 *	sched_switch ──► on_switch: read ─► totals, differences ─► diff maps (perf's followers)
 *	test run     ──►                                  └──────► (pstat's followers read here)
 *
 * Sessions find the leader through a pinned map (attr-map.h). When a session needs up-to-date
 * counts, it runs the leader on each CPU (BPF_PROG_TEST_RUN). In such a test run, ctx is NULL. The
 * kernel would refuse the test run if the program dereferenced ctx, so the program never does so.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"
#include "bperf_read.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* set before load */
const volatile __u32 nr_events = 0;
const volatile __u32 nr_shared = 0; /* each of the first nr_shared events has a diff map */
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};

/*
 * 0 → struct bperf_state and its arrays. Written by this program and bperf_cpus.bpf.c, read by
 * followers and user space. Followers also set `busy`. User space sets the size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} pstat_state SEC(".maps");

/* 0 → the description of this leader. User space writes it once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_info));
	__uint(max_entries, 1);
} pstat_leader SEC(".maps");

/*
 * The diff map of one shared event. It contains the difference between the last two readings of the
 * event, for followers that other tools load. User space does not create unused maps. The maps are
 * not the inner maps of a map of maps, because user space would have to wait for an RCU grace
 * period for each inner map that it adds.
 */
struct diff_readings {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
};

/* calls DO for each of the BPERF_MAX_SHARED maps */
#define FOR_EACH_DIFF_MAP(DO) \
	DO(0x0)               \
	DO(0x1)               \
	DO(0x2)               \
	DO(0x3)               \
	DO(0x4)               \
	DO(0x5) DO(0x6) DO(0x7) DO(0x8) DO(0x9) DO(0xa) DO(0xb) DO(0xc) DO(0xd) DO(0xe) DO(0xf)

#define DECLARE_DIFF_MAP(nr) struct diff_readings diff_##nr SEC(".maps");
FOR_EACH_DIFF_MAP(DECLARE_DIFF_MAP)

static __always_inline void write_diff(void *map, const struct bpf_perf_event_value *value,
				       __u64 mask)
{
	struct bpf_perf_event_value *diff;
	__u32 zero = 0;

	diff = bpf_map_lookup_elem(map, &zero);
	if (!diff)
		return;
	diff->counter = value->counter & mask;
	diff->enabled = value->enabled & mask;
	diff->running = value->running & mask;
}

/*
 * Writes the differences to the diff maps, or zeros if @none is set. Returns at the first map that
 * does not exist, so that the verifier removes the code for this map and all later ones.
 */
static __always_inline void write_diffs(struct bperf_state *s, bool none)
{
	struct bpf_perf_event_value *diffs = state_row(s, BPERF_ROW_DIFFS, nr_events);
	__u64 mask = none ? 0 : ~0ULL;
	__u32 nr = nr_shared;

#define WRITE_DIFF(row)  \
	if ((row) >= nr) \
		return;  \
	write_diff(&diff_##row, &diffs[row], mask);
	FOR_EACH_DIFF_MAP(WRITE_DIFF)
}

SEC("raw_tp/sched_switch")
int on_switch(__u64 *ctx)
{
	struct bperf_state *s;
	__u32 zero = 0;
	bool nested;

	s = bpf_map_lookup_elem(&pstat_state, &zero);
	if (!s)
		return 0;
	/*
	 * The state is busy if this run interrupts a program that is taking or using a reading, or
	 * if user space is replacing counters. In both cases, the leader takes no reading, and
	 * stores zeros in the diff maps. pstat's followers, which the kernel calls next, only check
	 * whether the task has ended.
	 */
	nested = s->busy;
	s->switches += ctx != 0;
	if (!nested) {
		s->busy = BPERF_BUSY;
		barrier();
		take_reading(s, plan, nr_events, nr_cpus);
	}
	write_diffs(s, nested);
	if (!nested) {
		barrier();
		s->busy = 0;
	}
	return 0;
}
