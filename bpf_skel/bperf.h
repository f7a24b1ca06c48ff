/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions that the BPF side of shared counters (bperf_*.bpf.c) and util/count/bperf/ share. */
#ifndef PSTAT_BPERF_H
#define PSTAT_BPERF_H

#ifndef __bpf__ /* for BPF programs, vmlinux.h defines the types */
#include <linux/bpf.h>
#endif

#define BPERF_MAX_EVENTS 64
/*
 * The number of a leader's events that other sessions can share; each has its own diff map. The
 * leader also reads the further events of its session, but other sessions cannot follow these.
 */
#define BPERF_MAX_SHARED 16

/*
 * How a leader reads an event, cheapest way first. An event that is never multiplexed counts all
 * the time, so its times are not read.
 */
enum bperf_how {
	BPERF_CLOCK, /* task-clock, cpu-clock: on a CPU, the count is the time itself */
	/*
	 * context switches, counted by the BPF program, because the kernel counts them after the
	 * tracepoint
	 */
	BPERF_SWITCHES,
	/* events that are never multiplexed (software, tracepoints, msr): read the value only */
	BPERF_VALUE,
	/* members of a perf group: read the value only; the times are those of row `times_of` */
	BPERF_SIBLING,
	BPERF_TIMES, /* read the value, and the enabled and running times */
};

struct bperf_plan {
	__u8 how; /* enum bperf_how */
	/*
	 * BPERF_SIBLING: row of the event in its group that is read with times; it is a lower row
	 */
	__u8 times_of;
	__u8 row; /* in a follower: the row of the event in the leader */
	__u8 unused;
};

/*
 * The state of a leader on one CPU. BPERF_ROWS rows of nr_events readings (struct
 * bpf_perf_event_value) follow it:
 * - TOTALS: the last reading of each event, as the counter gave it.
 * - DIFFS: the last reading minus the reading before it.
 * - CARRY: what to add to TOTALS. It keeps a count continuous when a new counter, which begins at
 *   zero, replaces an old one, and removes the time in which the CPU was offline from a clock.
 * Where the times in TOTALS are points in time (see BPERF_VALUE), they began at `first`.
 */
struct bperf_state {
	/* time of the last reading in ns (CLOCK_MONOTONIC); 0: no reading was taken yet */
	__u64 time;
	__u64 before;	/* time of the reading before the last one, in ns (CLOCK_MONOTONIC) */
	__u64 switches; /* context switches that the leader has seen */
	__u64 errors;	/* failed reads of single events, summed over all readings */
	__u32 busy;	/* BPERF_BUSY and BPERF_HELD; while it is nonzero, no reading is taken */
	__u32 unused;
	__u64 first; /* CLOCK_MONOTONIC, ns: time of the first reading on this CPU */
};

#define BPERF_BUSY 1 /* a reading is being taken or used; a nested reading is skipped */
#define BPERF_HELD 2 /* user space is replacing counters of this CPU */
/* a program at a point of --start or --stop takes a reading; any other reading cancels it */
#define BPERF_POINT 4

#define BPERF_ROW_TOTALS 0
#define BPERF_ROW_DIFFS 1
#define BPERF_ROW_CARRY 2
#define BPERF_ROWS 3
#define BPERF_STATE_SIZE(nr_events)   \
	(sizeof(struct bperf_state) + \
	 BPERF_ROWS * sizeof(struct bpf_perf_event_value) * (nr_events))

/*
 * The only entry of a leader's map `pstat_leader`. It describes what a follower can read in
 * addition to the diff maps, which are perf's ABI. Any change in the layout of this struct or of
 * struct bperf_state needs a new version.
 */
#define BPERF_INFO_MAP "pstat_leader"
#define BPERF_STATE_MAP "pstat_state"
#define BPERF_EVENTS_MAP "events"
#define BPERF_INFO_VERSION 3

/* Size of struct perf_event_attr in perf's ABI, in bytes. */
#define BPERF_ATTR_SIZE 136

struct bperf_info {
	__u32 version;
	__u32 nr_events;
	__u32 nr_shared; /* the first nr_shared events can be shared */
	/* largest possible CPU id + 1; the index in `events` is event × nr_cpus + CPU id */
	__u32 nr_cpus;
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	__u32 diff_map_ids[BPERF_MAX_SHARED];
	/*
	 * The key of each shared event, laid out like struct attr_key. An entry of the pinned map
	 * with a different key does not belong to this leader.
	 */
	__u8 attrs[BPERF_MAX_SHARED][BPERF_ATTR_SIZE];
};

/* A followed task: `slot` is where its counts are added. */
struct bperf_member {
	__u32 slot;
	__u32 flags;
};

enum {
	BPERF_MEMBER_WAITS = 1, /* waits for its exec; counts before the exec are ignored */
	/* has passed the point of its exit at which the kernel stops counting */
	BPERF_MEMBER_GONE = 2,
};

/*
 * A filter of the tasks that may be members, or that may be listed by id: each task sets the bit at
 * the hash of its address or id. Most context switches are between other tasks, and a clear bit
 * makes the lookup in the map unnecessary. Bits are never cleared. That is harmless, because the
 * kernel reuses addresses: there are never more of them than tasks that exist at one time.
 */
#define BPERF_FILTER_BITS 8192

/* State on one CPU of a follower whose leader is not pstat's. */
struct bperf_cpu {
	__u32 on; /* `enabled` at the last reading: if it is nonzero, the next difference counts */
	__u32 unused;
};

_Static_assert(sizeof(struct bperf_state) == 48, "same layout on both sides, no holes");
_Static_assert(sizeof(struct bperf_info) ==
		       16 + 4 * BPERF_MAX_EVENTS + (4 + BPERF_ATTR_SIZE) * BPERF_MAX_SHARED,
	       "same layout on both sides, no holes");

#endif
