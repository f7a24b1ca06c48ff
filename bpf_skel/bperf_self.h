/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF side of programs that count themselves (bperf_self.bpf.c) and util/count/bperf/bperf-self.c both see. */
#ifndef PSTAT_BPERF_SELF_H
#define PSTAT_BPERF_SELF_H

#include "bperf.h"

/* Of a process, at once. */
#define BPERF_SELF_THREADS 4096

/* The ctx of the program `look`: which slot the thread that runs it has, and which of the leader's events it asks for. */
struct bperf_self_ask {
	__u64 slot;
	__u64 row;
};

/* What `look` returns. */
enum bperf_self_result {
	BPERF_SELF_OK,
	BPERF_SELF_OTHER_PROCESS, /* it was loaded for another one, of which this is a child */
	BPERF_SELF_NO_ROOM,	  /* for another thread */
	BPERF_SELF_NOT_HERE,	  /* the event is not open on this CPU, or cannot be read there */
	BPERF_SELF_DISTURBED,	  /* by others' readings on this CPU, each time that it was tried */
};

/*
 * A thread's. Behind it stand its sums, a reading (struct bpf_perf_event_value) for each event of the leader that can be asked for: what
 * was counted in slices that are over. Only that thread, and switches of it, write there.
 */
struct bperf_self_slot {
	__u64 task; /* address of its task_struct; 0: it has ended, or nobody has come yet */
	__u64 seq;  /* answers given, of whatever event: one that a signal handler got in between shows */
	struct bpf_perf_event_value answer;
};

#define BPERF_SELF_SLOT_SIZE(nr_sums) (sizeof(struct bperf_self_slot) + sizeof(struct bpf_perf_event_value) * (nr_sums))

_Static_assert(sizeof(struct bperf_self_slot) == 40, "same layout on both sides, no holes");

#endif
