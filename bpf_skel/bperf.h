/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF side of shared counters (bperf_*.bpf.c) and util/count/bperf/ both see. */
#ifndef PSTAT_BPERF_H
#define PSTAT_BPERF_H

#ifndef __bpf__ /* there vmlinux.h has the types */
#include <linux/bpf.h>
#endif

#define BPERF_MAX_EVENTS 64
/* Of a leader: each has a map of its own. What a session counts beyond is read by the same leader, and others cannot follow it. */
#define BPERF_MAX_SHARED 16

/* How a leader reads an event. Cheapest first; what is never multiplexed counts all the time, and needs no times of its own. */
enum bperf_how {
	BPERF_CLOCK,	/* task-clock, cpu-clock: of a CPU, it is the time itself */
	BPERF_SWITCHES, /* context switches, counted by the program: the kernel's own count comes after the tracepoint */
	BPERF_VALUE,	/* never multiplexed (software, tracepoints, msr): the value */
	BPERF_SIBLING,	/* of a perf group: the value; the times are those of the row `times_of` before it */
	BPERF_TIMES,	/* the value and for how long it counted */
};

struct bperf_plan {
	__u8 how;      /* enum bperf_how */
	__u8 times_of; /* BPERF_SIBLING: the row of the event of its group that is read with times */
	__u8 row;      /* in a follower: which of the leader's events it is */
	__u8 unused;
};

/*
 * The state of a leader on one CPU. BPERF_ROWS rows of nr_events readings (struct bpf_perf_event_value) follow it:
 * - TOTALS: the last reading of each event, as the counter gave it.
 * - DIFFS: the last reading minus the reading before it.
 * - CARRY: what to add to TOTALS. It keeps a count continuous when a new counter, which begins at zero, replaces an
 *   old one, and removes the time in which the CPU was offline from a clock.
 * Totals that are times (see BPERF_VALUE) began at `first`.
 */
struct bperf_state {
	__u64 time;	/* ns (CLOCK_MONOTONIC) of the last reading, 0: none was taken */
	__u64 before;	/* … of the one before */
	__u64 switches; /* seen */
	__u64 errors;	/* events that could not be read, over all readings */
	__u32 busy;	/* nonzero: no reading is taken; BPERF_BUSY and BPERF_HELD */
	__u32 unused;
	__u64 first; /* CLOCK_MONOTONIC, ns: time of the first reading on this CPU */
};

#define BPERF_BUSY 1 /* a reading is being taken or used; a nested one is skipped */
#define BPERF_HELD 2 /* user space is replacing counters of this CPU */

#define BPERF_ROW_TOTALS 0
#define BPERF_ROW_DIFFS 1
#define BPERF_ROW_CARRY 2
#define BPERF_ROWS 3
#define BPERF_STATE_SIZE(nr_events) \
	(sizeof(struct bperf_state) + BPERF_ROWS * sizeof(struct bpf_perf_event_value) * (nr_events))

/*
 * The one entry of a leader's map `pstat_leader`: by it a follower knows what it can read beside the diff maps that are the ABI
 * of perf. Another layout of this or of struct bperf_state has another version.
 */
#define BPERF_INFO_MAP "pstat_leader"
#define BPERF_STATE_MAP "pstat_state"
#define BPERF_EVENTS_MAP "events"
#define BPERF_INFO_VERSION 3

/* Size of an attr in bytes: PERF_ATTR_SIZE. */
#define BPERF_ATTR_SIZE 136

struct bperf_info {
	__u32 version;
	__u32 nr_events;
	__u32 nr_shared; /* the first of these */
	__u32 nr_cpus;	 /* largest possible CPU id + 1: event × nr_cpus + CPU id is the place in `events` */
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	__u32 diff_map_ids[BPERF_MAX_SHARED];
	/*
	 * The key of each shared event, laid out as in struct attr_key. An entry of the pinned map with another key is
	 * not this leader's.
	 */
	__u8 attrs[BPERF_MAX_SHARED][BPERF_ATTR_SIZE];
};

/* A task that is followed, and where its counts go. */
struct bperf_member {
	__u32 slot;
	__u32 flags;
};

enum {
	BPERF_MEMBER_WAITS = 1, /* for its exec: what it does before does not count */
	BPERF_MEMBER_GONE = 2,	/* it is past the point of its exit where the kernel ends counting */
};

/*
 * Which tasks may be members, or may be named: a bit each by a hash of their address or id. Most switches are of other tasks, and a bit
 * that is not set spares the lookup. Bits are never cleared, but addresses come again: there are never more than tasks at once.
 */
#define BPERF_FILTER_BITS 8192

/* Per CPU, of a follower whose leader is not pstat's. */
struct bperf_cpu {
	__u32 on; /* as `enabled` was at the last reading: the next difference counts if it was */
	__u32 unused;
};

_Static_assert(sizeof(struct bperf_state) == 48, "same layout on both sides, no holes");
_Static_assert(sizeof(struct bperf_info) == 16 + 4 * BPERF_MAX_EVENTS + (4 + BPERF_ATTR_SIZE) * BPERF_MAX_SHARED,
	       "same layout on both sides, no holes");

#endif
