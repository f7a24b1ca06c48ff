/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions shared by util/count/bperf/ and the BPF side of shared counters (bperf_*.bpf.c). */
#ifndef PSTAT_BPERF_H
#define PSTAT_BPERF_H

#ifndef __bpf__ /* for BPF programs, vmlinux.h defines the types */
#include <linux/bpf.h>
#endif

#define BPERF_MAX_EVENTS 64
/*
 * The maximum number of a leader's events that other sessions can share. Each shared event has a
 * diff map. The leader also reads the other events of its own session, but sessions cannot share
 * these.
 */
#define BPERF_MAX_SHARED 16

/*
 * How a leader reads an event, from the cheapest way to the most expensive one. An event that is
 * never multiplexed always counts, so its times are not read.
 */
enum bperf_how {
	BPERF_CLOCK, /* task-clock, cpu-clock: on a CPU, the count is the time itself */
	/*
	 * context switches, counted by the BPF program, because the kernel counts them after the
	 * tracepoint
	 */
	BPERF_SWITCHES,
	/* events that are never multiplexed (software, tracepoints, msr): only the value is read */
	BPERF_VALUE,
	/*
	 * members of a perf group: only the value is read; the times are those of the row
	 * `times_of`
	 */
	BPERF_SIBLING,
	BPERF_TIMES, /* the value and the enabled and running times are read */
};

struct bperf_plan {
	__u8 how; /* enum bperf_how */
	/* BPERF_SIBLING: the row of the member whose times are read; it is a lower row */
	__u8 times_of;
	__u8 row; /* in a follower: the row of the event in the leader */
	__u8 unused;
};

/*
 * The state of a leader on one CPU. BPERF_ROWS rows of nr_events readings (struct
 * bpf_perf_event_value) follow it:
 * - TOTALS: the last reading of each event, as read from its counter.
 * - DIFFS: the last reading minus the reading before it.
 * - CARRY: what to add to TOTALS. It keeps a count continuous when a new counter, which starts from
 *   zero, replaces an old one. It also subtracts the time for which the CPU was offline from
 *   clocks.
 * If the times of an event are not read (see BPERF_VALUE), its times in TOTALS are the time of the
 * reading. They are then counted from `first`.
 */
struct bperf_state {
	/* time of the last reading in ns (CLOCK_MONOTONIC); 0: no reading yet */
	__u64 time;
	__u64 before;	/* time of the previous reading in ns (CLOCK_MONOTONIC) */
	__u64 switches; /* number of context switches that the leader has seen */
	__u64 errors;	/* number of failed reads of single events, in all readings */
	__u32 busy;	/* BPERF_BUSY and BPERF_HELD; no reading is taken while it is not 0 */
	__u32 unused;
	__u64 first; /* CLOCK_MONOTONIC, ns: time of the first reading on this CPU */
};

#define BPERF_BUSY 1 /* a reading is being taken or used; a nested call takes no reading */
#define BPERF_HELD 2 /* user space is replacing counters of this CPU */
/* a program at a point of --start or --stop is taking a reading; any other reading cancels it */
#define BPERF_POINT 4

#define BPERF_ROW_TOTALS 0
#define BPERF_ROW_DIFFS 1
#define BPERF_ROW_CARRY 2
#define BPERF_ROWS 3
#define BPERF_STATE_SIZE(nr_events)   \
	(sizeof(struct bperf_state) + \
	 BPERF_ROWS * sizeof(struct bpf_perf_event_value) * (nr_events))

/*
 * The single entry of a leader's map `pstat_leader`. It describes what a follower can read in
 * addition to the diff maps, which are perf's ABI. Any change of the layout of this struct or of
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
	/* the largest possible CPU id + 1; the index in `events` is event × nr_cpus + CPU id */
	__u32 nr_cpus;
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	__u32 diff_map_ids[BPERF_MAX_SHARED];
	/*
	 * The key of each shared event, with the layout of struct attr_key. An entry of the pinned
	 * map belongs to this leader only if it has one of these keys.
	 */
	__u8 attrs[BPERF_MAX_SHARED][BPERF_ATTR_SIZE];
};

/* A followed task. Its counts are added to `slot`. */
struct bperf_member {
	__u32 slot;
	__u32 flags;
};

enum {
	BPERF_MEMBER_WAITS = 1, /* waits for its exec; counts before the exec are ignored */
	/* has exited so far that the kernel no longer counts it */
	BPERF_MEMBER_GONE = 2,
};

/*
 * A filter for the tasks that are members, or that are listed by id: each of them sets the bit at
 * the hash of its address or id. Most context switches are between other tasks, and if the bit is
 * clear, no lookup in the map is needed. Bits are never cleared. This is harmless, because the
 * kernel reuses addresses: there are never more of them than tasks that existed at the same time.
 */
#define BPERF_FILTER_BITS 8192

/* The state on one CPU of a follower whose leader was made by another tool. */
struct bperf_cpu {
	/*
	 * the value of `enabled` at the last reading: if it is not 0, the next difference is
	 * counted
	 */
	__u32 on;
	__u32 unused;
};

_Static_assert(sizeof(struct bperf_state) == 48, "same layout on both sides, no holes");
_Static_assert(sizeof(struct bperf_info) ==
		       16 + 4 * BPERF_MAX_EVENTS + (4 + BPERF_ATTR_SIZE) * BPERF_MAX_SHARED,
	       "same layout on both sides, no holes");

#endif
