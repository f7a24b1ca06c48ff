/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions that bperf_self.bpf.c, the BPF side of programs that count themselves, and
 * util/count/bperf/bperf-self.c share.
 */
#ifndef PSTAT_BPERF_SELF_H
#define PSTAT_BPERF_SELF_H

#include "bperf.h"

/* The number of threads of a process that can count at the same time. */
#define BPERF_SELF_THREADS 4096

/*
 * The ctx of the program `look`: the slot of the calling thread, and the row of the event to read.
 */
struct bperf_self_ask {
	__u64 slot;
	__u64 row;
};

/* The result of `look`. */
enum bperf_self_result {
	BPERF_SELF_OK,
	/* the program was loaded for another process, for example the caller's parent */
	BPERF_SELF_OTHER_PROCESS,
	BPERF_SELF_NO_ROOM,   /* no room for another thread */
	BPERF_SELF_NOT_HERE,  /* the event is not open on this CPU, or cannot be read */
	BPERF_SELF_DISTURBED, /* other readings on this CPU disturbed every attempt */
};

/*
 * The slot of a thread. It is followed by sums: for each of the leader's events that can be read, a
 * reading (struct bpf_perf_event_value) of all slices that have ended. The slot is written only by
 * BPF programs that run in the thread: look, and at its context switches.
 */
struct bperf_self_slot {
	/*
	 * the address of the thread's task_struct; 0: the thread has ended, or the slot was never
	 * used
	 */
	__u64 task;
	/*
	 * the number of answers for all events; it shows whether a signal handler asked in the
	 * meantime
	 */
	__u64 seq;
	struct bpf_perf_event_value answer;
};

#define BPERF_SELF_SLOT_SIZE(nr_sums) \
	(sizeof(struct bperf_self_slot) + sizeof(struct bpf_perf_event_value) * (nr_sums))

_Static_assert(sizeof(struct bperf_self_slot) == 40, "same layout on both sides, no holes");

#endif
