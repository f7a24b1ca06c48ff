/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that util/count/bperf/ exchanges with the BPF programs of shared counters (bperf_*.bpf.c).
 *
 * Several sessions can use the same perf events, called the shared counters. The leader is a BPF
 * program that reads the perf events of the current CPU at each context switch. A reading is the
 * set of values that the leader reads at one moment. Each session that counts tasks has a BPF
 * program, its follower, which runs after each reading. If the session counts the task that has
 * just run, the follower adds the differences between the last two readings to the counts of this
 * task.
 */
#ifndef PSTAT_BPERF_H
#define PSTAT_BPERF_H

#ifndef __bpf__ /* for BPF programs, vmlinux.h defines the types */
#include <linux/bpf.h>
#endif

/* The maximum number of events that a leader reads. */
#define BPERF_MAX_EVENTS 64
/*
 * The maximum number of a leader's events that other sessions can use. Each of these events has a
 * diff map, which contains the difference between the last two readings of the event. The other
 * events of a leader are used only by the session that loaded the leader.
 */
#define BPERF_MAX_SHARED 16

/*
 * The ways in which a leader reads events, in order of increasing cost. Events that the kernel
 * never multiplexes count all the time, so the leader does not read their enabled and running
 * times.
 */
enum bperf_how {
	BPERF_CLOCK, /* task-clock, cpu-clock: the value is the time of the reading */
	/*
	 * context switches: the leader counts them itself. The kernel's event counts a switch only
	 * after the leader has run, so with this event, the switch would be counted for the next
	 * task
	 */
	BPERF_SWITCHES,
	/* events that are never multiplexed (software, tracepoints, msr): only the value is read */
	BPERF_VALUE,
	/*
	 * siblings in a perf group: only the value is read; the times are copied from the event at
	 * the index `times_of` (struct bperf_plan)
	 */
	BPERF_SIBLING,
	BPERF_TIMES, /* the value and the enabled and running times are read */
};

/*
 * How a leader or follower reads one event. A row is the index of an event among the leader's
 * events.
 */
struct bperf_plan {
	__u8 how; /* enum bperf_how */
	/*
	 * BPERF_SIBLING: the row of the group member whose times are read; always lower than the
	 * row of the sibling
	 */
	__u8 times_of;
	__u8 row; /* used only by followers: the row of the event */
	__u8 unused;
};

/*
 * The state of a leader on one CPU. In memory, this struct is followed by BPERF_ROWS arrays. Each
 * array has an element (struct bpf_perf_event_value) for each event. The arrays (BPERF_ROW_..., not
 * rows of events) contain:
 * - TOTALS: the values at the last reading.
 * - DIFFS: the last reading minus the reading before it.
 * - CARRY: a correction; the counts are TOTALS + CARRY. When a CPU is online again, user space
 *   replaces its counters with new counters, which start from zero. CARRY contains the counts of
 *   the replaced counters. For clocks, and for times that the leader does not read, CARRY is minus
 *   the time for which the CPU was offline.
 * If the leader does not read the times of an event (BPERF_CLOCK, BPERF_SWITCHES, BPERF_VALUE), the
 * event's enabled and running times in TOTALS are both set to the time of the reading. User space
 * subtracts `first` from these times, and from the value of a BPERF_CLOCK event.
 */
struct bperf_state {
	/* time of the last reading, in ns (CLOCK_MONOTONIC); 0: no reading yet */
	__u64 time;
	__u64 before;	/* time of the reading before the last one, in ns (CLOCK_MONOTONIC) */
	__u64 switches; /* number of context switches that the leader has seen */
	__u64 errors;	/* how many times an event could not be read */
	/*
	 * flags: BPERF_BUSY, BPERF_HELD and BPERF_POINT; the leader takes no reading while
	 * BPERF_BUSY or BPERF_HELD is set
	 */
	__u32 busy;
	__u32 unused;
	__u64 first; /* CLOCK_MONOTONIC, ns: time of the first reading on this CPU */
};

/*
 * a program is taking or using a reading; a run of the leader that interrupts this program takes no
 * reading
 */
#define BPERF_BUSY 1
#define BPERF_HELD 2 /* user space is replacing counters of this CPU */
/*
 * a program at a point of --start or --stop (gate.h) is reading the counters; the program starts
 * over if another reading interrupts it
 */
#define BPERF_POINT 4

#define BPERF_ROW_TOTALS 0
#define BPERF_ROW_DIFFS 1
#define BPERF_ROW_CARRY 2
#define BPERF_ROWS 3
#define BPERF_STATE_SIZE(nr_events)   \
	(sizeof(struct bperf_state) + \
	 BPERF_ROWS * sizeof(struct bpf_perf_event_value) * (nr_events))

/*
 * A leader's map `pstat_leader` has one entry, a struct bperf_info. The entry describes what a
 * follower can read in addition to the diff maps, whose layout is part of perf's ABI. Increase
 * BPERF_INFO_VERSION whenever the layout of struct bperf_info or struct bperf_state changes.
 */
#define BPERF_INFO_MAP "pstat_leader"
#define BPERF_STATE_MAP "pstat_state"
#define BPERF_EVENTS_MAP "events"
#define BPERF_INFO_VERSION 3

/* The size of struct attr_key (attr-map.h), in bytes. */
#define BPERF_ATTR_SIZE 136

struct bperf_info {
	__u32 version;
	__u32 nr_events;
	__u32 nr_shared; /* the first nr_shared events can be shared */
	/* the largest possible CPU id + 1; a key of the map `events` is row × nr_cpus + CPU id */
	__u32 nr_cpus;
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	__u32 diff_map_ids[BPERF_MAX_SHARED];
	/*
	 * The key of each shared event, with the layout of struct attr_key. To find a leader,
	 * sessions look up these keys in a pinned map (attr-map.h). An entry of that map belongs to
	 * this leader only if `attrs` contains the key of the entry.
	 */
	__u8 attrs[BPERF_MAX_SHARED][BPERF_ATTR_SIZE];
};

/*
 * A task that a follower counts. The counts are in the entry `slot` of the follower's map `totals`.
 */
struct bperf_member {
	__u32 slot;
	__u32 flags;
};

enum {
	BPERF_MEMBER_WAITS = 1, /* the task waits for its exec, before which nothing is counted */
	/* the task is exiting, and the kernel no longer counts it */
	BPERF_MEMBER_GONE = 2,
};

/*
 * A follower has two lists of the tasks that it counts, one by the address of the task_struct, the
 * other by id (bperf_members.bpf.h). Each list has a filter of this many bits. The address or id of
 * a task selects a bit, which is set before the task is listed. If the bit is clear, the task is
 * not in that list, so the follower does not look it up there. This saves time, because most
 * context switches are between tasks that are not counted. Bits are never cleared. Bits for ids are
 * set only before counting begins. Even after a long time, only a few bits for addresses are set,
 * because the kernel reuses the addresses of tasks that have ended.
 */
#define BPERF_FILTER_BITS 8192

/* The per-CPU state of a follower whose leader was made by another tool. */
struct bperf_cpu {
	/*
	 * the value of the follower's variable `enabled` at the last reading; nonzero: the next
	 * difference is counted
	 */
	__u32 on;
	__u32 unused;
};

_Static_assert(sizeof(struct bperf_state) == 48, "same layout on both sides, no holes");
_Static_assert(sizeof(struct bperf_info) ==
		       16 + 4 * BPERF_MAX_EVENTS + (4 + BPERF_ATTR_SIZE) * BPERF_MAX_SHARED,
	       "same layout on both sides, no holes");

#endif
