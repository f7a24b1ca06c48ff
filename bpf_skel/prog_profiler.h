/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program profiler's BPF sides and util/count/prog/ both see. */
#ifndef PSTAT_PROG_PROFILER_H
#define PSTAT_PROG_PROFILER_H

/* Runs in flight on one CPU that can be told apart: nested ones, and those that preempted another. */
#define PROG_SLOTS 8
#define PROG_MAX_EVENTS 64
/* Control groups that runs can be told apart by. */
#define PROG_MAX_CGROUPS 64

/*
 * A reading of all events is a row of words: first the clock, if there is one, then one word for each plain event, then three
 * (count, enabled, running: struct bpf_perf_event_value) for each event that has to be read with its times.
 */
struct prog_words {
	__u32 clock; /* 0 or 1: what stands for the events that are the time that passes */
	__u32 plain;
	__u32 timed;
	__u32 words; /* of a row: all of them */
};

/* Why a run could not be counted (a lost run). */
enum prog_lost {
	/*
	 * an interrupt started the run while the start or end of another run was being recorded; also counted for each
	 * program
	 */
	PROG_LOST_BUSY,
	PROG_LOST_SWITCH,  /* another task got the CPU while the start or end of a run was being recorded */
	PROG_LOST_NO_SLOT, /* more than PROG_SLOTS runs were in flight */
	PROG_LOST_NO_END,  /* an enclosing run returned, and the end of this run was not seen */
	PROG_LOST_UNREAD,  /* a counter could not be read while the run was in flight */
	PROG_NR_LOST,
};
#define PROG_LOST_ROOM 8 /* a power of two, so that the verifier knows the bounds of a cause */

/* A run in flight. */
struct prog_run {
	__u64 frame;   /* address of the trampoline's frame, which its begin and its end share; 0: the slot is free */
	__u64 task;    /* that runs it, while another task has the CPU; else 0 */
	__u64 groups;  /* bit by bit, the control groups that it began in */
	__u32 phase;   /* `gate` when it began */
	__u32 parent;  /* slot + 1 of the run that it interrupted or was called by; 0: none */
	__u32 inner;   /* runs that it was the parent of */
	__u32 charged; /* its row of charges holds something */
};

/*
 * Per CPU the one entry of the map `cpu_runs`, which all targets of a session share. What passes is charged to one run at a time, the
 * owner, so that what an inner run costs is not in the outer one's. Behind it stand rows of words: the reading since which the
 * owner has not been charged, one for the moment, and of each slot what was charged to its run so far.
 */
struct prog_cpu {
	__u32 skip;	 /* set by user space before counting starts: runs on this CPU are not counted */
	__u32 busy;	 /* somebody writes here */
	__u32 disturbed; /* another task got the CPU while somebody was writing */
	__u32 nr;	 /* slots in use */
	__u32 owner;	 /* slot + 1; 0: the task that has the CPU is in no run */
	__u32 unread;	 /* a counter could not be read */
	__u32 unused;
	/* slot of a run that begins; reading the index back from here spares the verifier from checking each slot */
	__u32 slot;
	__u64 frame;		    /* frame of that run; storing it here turns the pointer into a number */
	__u64 lost[PROG_LOST_ROOM]; /* lost runs, by enum prog_lost */
	struct prog_run runs[PROG_SLOTS];
};

#define PROG_ROW_LAST 0
#define PROG_ROW_NOW 1
#define PROG_ROW_CHARGED 2 /* and one row more for each further slot */
#define PROG_ROWS (PROG_ROW_CHARGED + PROG_SLOTS)

/*
 * Per CPU and target, the one entry of the map `totals`. Behind it stand sets, one or one for each control group, with --hist the
 * PROG_HIST_BUCKETS numbers of runs in each bucket of the histogram (__u64), and at the end the number of runs whose addition was
 * begun (__u64): where it differs from `added`, the sets were read in the middle of one.
 */
struct prog_totals {
	__u64 added;	/* runs whose addition was finished */
	__u64 lost;	/* runs that began while the gate was open and were lost: PROG_LOST_BUSY */
	__u64 unpaired; /* ends whose begin was not seen: begun before the count, missed by the kernel, or not wanted */
	__u64 read_errors; /* runs not added because a counter could not be read */
	__u64 hist_max;	   /* the largest value that went into the histogram */
};

/* Followed by a row of words: the sums. */
struct prog_set {
	__u64 runs;  /* counted, from begin to end */
	__u64 inner; /* runs inside of these that were counted by themselves */
};

/* How runs are chosen by the task that they run in. */
enum prog_filter {
	PROG_FILTER_NONE = 0,
	PROG_FILTER_PROCESS = 1, /* the map `tasks` has its process */
	PROG_FILTER_THREAD = 2,	 /* … its thread */
};

/*
 * Buckets of --hist: values below PROG_HIST_LINEAR have one each; from there on each power of two has PROG_HIST_LINEAR / 2 of the
 * same width, so that a bucket is never wider than an eighth of its values.
 */
#define PROG_HIST_BITS 4
#define PROG_HIST_LINEAR (1 << PROG_HIST_BITS)
#define PROG_HIST_BUCKETS (PROG_HIST_LINEAR + (64 - PROG_HIST_BITS) * (PROG_HIST_LINEAR / 2))

_Static_assert(sizeof(struct prog_run) == 40, "same layout on both sides, no holes");
_Static_assert(PROG_NR_LOST <= PROG_LOST_ROOM, "each cause has its place");
_Static_assert(sizeof(struct prog_cpu) == 40 + PROG_LOST_ROOM * sizeof(__u64) + PROG_SLOTS * sizeof(struct prog_run),
	       "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_totals) == 40, "same layout on both sides, no holes");

#endif
