/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions shared by util/count/prog/ and the BPF side of the program profiler. */
#ifndef PSTAT_PROG_PROFILER_H
#define PSTAT_PROG_PROFILER_H

/*
 * The maximum number of runs in progress on one CPU: nested runs, and runs that preempted other
 * runs.
 */
#define PROG_SLOTS 8
#define PROG_MAX_EVENTS 64
/* The maximum number of cgroups for which runs can be counted separately, plus one. */
#define PROG_MAX_CGROUPS 64

/*
 * A reading of all events is a row of words: first the clock, if there is one; then one word for
 * each plain event; then three words (count, enabled, running: struct bpf_perf_event_value) for
 * each event that must be read with its times.
 */
struct prog_words {
	__u32 clock; /* 0 or 1: all events that measure time use one clock */
	__u32 plain;
	__u32 timed;
	__u32 words; /* number of words in a row */
};

/* The cause of a lost run. */
enum prog_lost {
	/*
	 * an interrupt started the run while the start or end of another run was being recorded;
	 * the totals of each target also contain the number of these runs
	 */
	PROG_LOST_BUSY,
	/* another task got the CPU while the start or end of a run was being recorded */
	PROG_LOST_SWITCH,
	PROG_LOST_NO_SLOT, /* more than PROG_SLOTS runs were in progress */
	PROG_LOST_NO_END,  /* an enclosing run returned, and the end of this run was not seen */
	PROG_LOST_UNREAD,  /* a counter could not be read while the run was in progress */
	PROG_NR_LOST,
};
#define PROG_LOST_ROOM 8 /* a power of two, so that the verifier knows the bounds of a cause */

/* A run in progress. */
struct prog_run {
	/*
	 * the address of the trampoline's frame, which is the same at the beginning and the end of
	 * the run; 0: the slot is free
	 */
	__u64 frame;
	__u64 task;    /* the task of the run while the task does not have the CPU; otherwise 0 */
	__u64 groups;  /* bit mask of the cgroups in which the run began */
	__u32 phase;   /* the value of gate.phase when the run began */
	__u32 parent;  /* slot + 1 of the caller or of the interrupted run; 0: none */
	__u32 inner;   /* number of runs whose parent is this run */
	__u32 charged; /* nonzero: the row of charges of this slot is valid */
};

/*
 * On each CPU, the single entry of the map `cpu_runs`, which all targets of a session share. Only
 * one run at a time, the owner, is charged, so the cost of an inner run is not included in the
 * outer one. Rows of words follow: the last reading, up to which all costs have been charged; the
 * current reading; and for each slot, the charges of its run so far.
 */
struct prog_cpu {
	/* runs on this CPU are not counted; set by user space before counting starts */
	__u32 skip;
	__u32 busy;	 /* a BPF program is writing here */
	__u32 disturbed; /* another task got the CPU while a BPF program was writing */
	__u32 nr;	 /* number of slots in use */
	__u32 owner;	 /* slot + 1; 0: the running task has no run in progress */
	__u32 unread;	 /* a counter could not be read */
	__u32 unused;
	/*
	 * the result of a search for a slot; because the index is read from here, the verifier does
	 * not examine the code once for each slot
	 */
	__u32 slot;
	/* the frame of this run; storing it here turns the pointer into a number */
	__u64 frame;
	__u64 lost[PROG_LOST_ROOM]; /* number of lost runs, by enum prog_lost */
	struct prog_run runs[PROG_SLOTS];
};

#define PROG_ROW_LAST 0
#define PROG_ROW_NOW 1
#define PROG_ROW_CHARGED 2 /* a row for each slot, from this one on */
#define PROG_ROWS (PROG_ROW_CHARGED + PROG_SLOTS)

/*
 * On each CPU and for each target, the single entry of the map `totals`. It is followed by:
 * - one set, or one set for each cgroup
 * - with --hist, the number of runs in each of the PROG_HIST_BUCKETS buckets (__u64)
 * - the number of runs whose addition has begun (__u64); if it differs from `added`, the sets were
 *   read while a run was being added
 */
struct prog_totals {
	__u64 added; /* runs that were added completely */
	__u64 lost;  /* lost runs (PROG_LOST_BUSY) that began while the gate was open */
	/*
	 * ends without a beginning: the run began before the count, the kernel missed its
	 * beginning, or the user did not ask for it
	 */
	__u64 unpaired;
	__u64 read_errors; /* runs not added because a counter could not be read */
	__u64 hist_max;	   /* the largest value that was added to the histogram */
};

/* The sums of a set of runs. They are followed by a row of words with the sums of the counts. */
struct prog_set {
	__u64 runs;  /* runs that were counted */
	__u64 inner; /* runs inside these runs that were counted separately */
};

/* How runs are selected by their task. */
enum prog_filter {
	PROG_FILTER_NONE = 0,
	PROG_FILTER_PROCESS = 1, /* the process is in the map `tasks` */
	PROG_FILTER_THREAD = 2,	 /* the thread is in the map `tasks` */
};

/*
 * Buckets of --hist. Each value below PROG_HIST_LINEAR has a bucket. From there on, each power of
 * two is divided into PROG_HIST_LINEAR / 2 buckets of equal width, so a bucket is never wider than
 * an eighth of its values.
 */
#define PROG_HIST_BITS 4
#define PROG_HIST_LINEAR (1 << PROG_HIST_BITS)
#define PROG_HIST_BUCKETS (PROG_HIST_LINEAR + (64 - PROG_HIST_BITS) * (PROG_HIST_LINEAR / 2))

_Static_assert(sizeof(struct prog_run) == 40, "same layout on both sides, no holes");
_Static_assert(PROG_NR_LOST <= PROG_LOST_ROOM, "each cause has its place");
_Static_assert(sizeof(struct prog_cpu) ==
		       40 + PROG_LOST_ROOM * sizeof(__u64) + PROG_SLOTS * sizeof(struct prog_run),
	       "same layout on both sides, no holes");
_Static_assert(sizeof(struct prog_totals) == 40, "same layout on both sides, no holes");

#endif
