/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that util/count/bperf/bperf-self.c and bperf_self.bpf.c exchange, so that a process can read
 * its own counts.
 */
#ifndef PSTAT_BPERF_SELF_H
#define PSTAT_BPERF_SELF_H

#include "bperf.h"

/* The maximum number of counted threads that a process can have at the same time. */
#define BPERF_SELF_THREADS 4096

/*
 * The ctx of the program look(): the index of the caller's slot, and the index of the event to
 * read.
 */
struct bperf_self_ask {
	__u64 slot;
	__u64 row;
};

/* The result of look(). */
enum bperf_self_result {
	BPERF_SELF_OK,
	/* the program was loaded for another process, for example the caller's parent */
	BPERF_SELF_OTHER_PROCESS,
	BPERF_SELF_NO_ROOM,   /* no room for another thread */
	BPERF_SELF_NOT_HERE,  /* the event is not open on this CPU, or cannot be read */
	BPERF_SELF_DISTURBED, /* other readings on this CPU disturbed every attempt */
};

/*
 * The slot of a thread. In memory, this struct is followed by a sum (struct bpf_perf_event_value)
 * for each event that the process can read. Each sum contains the counts of the thread's slices
 * that have ended. A slice is the time between two consecutive readings of the leader (bperf.h) on
 * a CPU. Only two BPF programs write the slot, and both run in the thread: look(), and
 * follow_self(), which runs after each reading of the leader.
 */
struct bperf_self_slot {
	/* address of the thread's task_struct; 0: the thread has ended, or the slot is unused */
	__u64 task;
	/*
	 * number of answers that look() has stored in `answer`; if this number grows by more than 1
	 * during a call of bperf_self__look(), a signal handler has also called this function
	 */
	__u64 seq;
	struct bpf_perf_event_value answer;
};

#define BPERF_SELF_SLOT_SIZE(nr_sums) \
	(sizeof(struct bperf_self_slot) + sizeof(struct bpf_perf_event_value) * (nr_sums))

_Static_assert(sizeof(struct bperf_self_slot) == 40, "same layout on both sides, no holes");

#endif
