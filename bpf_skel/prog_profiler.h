/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions that the BPF side of the program profiler and util/count/prog/ share. */
#ifndef PSTAT_PROG_PROFILER_H
#define PSTAT_PROG_PROFILER_H

/*
 * The number of runs in progress on one CPU that pstat can distinguish: nested runs, and runs that
 * preempted other runs.
 */
#define PROG_SLOTS 8
#define PROG_MAX_EVENTS 64
/* The largest number of cgroups for which runs can be counted separately, plus one. */
#define PROG_MAX_CGROUPS 64

/*
 * A reading of all events is a row of words: first the clock, if there is one, then one word for
 * each plain event, then three words (count, enabled, running: struct bpf_perf_event_value) for
 * each event that must be read with its times.
 */
struct prog_words {
	__u32 clock; /* 0 or 1: a clock, which serves all events that measure time */
	__u32 plain;
	__u32 timed;
	__u32 words; /* all words of a row */
};

/* Why a run could not be counted (a lost run). */
enum prog_lost {
	/*
	 * an interrupt started the run while the start or end of another run was being recorded;
	 * also counted for each program
	 */
	PROG_LOST_BUSY,
	/* another task got the CPU while the start or end of a run was being recorded */
	PROG_LOST_SWITCH,
	PROG_LOST_NO_SLOT, /* more than PROG_SLOTS runs were in flight */
	PROG_LOST_NO_END,  /* an enclosing run returned, and the end of this run was not seen */
	PROG_LOST_UNREAD,  /* a counter could not be read while the run was in flight */
	PROG_NR_LOST,
};
#define PROG_LOST_ROOM 8 /* a power of two, so that the verifier knows the bounds of a cause */

/* A run in progress. */
struct prog_run {
	/*
	 * address of the trampoline's frame, which the beginning and the end of a run share; 0:
	 * free slot
	 */
	__u64 frame;
	__u64 task;    /* the task of the run, while another task has the CPU; otherwise 0 */
	__u64 groups;  /* bit mask of the cgroups in which the run began */
	__u32 phase;   /* value of `gate` when the run began */
	__u32 parent;  /* slot + 1 of the run that this run interrupted or was called by; 0: none */
	__u32 inner;   /* number of runs that have this run as their parent */
	__u32 charged; /* nonzero: the row of charges of this slot is valid */
};

/*
 * On each CPU, the only entry of the map `cpu_runs`, which all targets of a session share. Only one
 * run at a time, the owner, is charged, so that the cost of an inner run is not included in the
 * outer one. Rows of words follow: the last reading, since which the owner has not been charged;
 * the current reading; and for each slot, what was charged to its run so far.
 */
struct prog_cpu {
	/* set by user space before counting starts: runs on this CPU are not counted */
	__u32 skip;
	__u32 busy;	 /* a BPF program is writing here */
	__u32 disturbed; /* another task got the CPU while a BPF program was writing */
	__u32 nr;	 /* number of slots in use */
	__u32 owner;	 /* slot + 1; 0: the task that has the CPU is in no run */
	__u32 unread;	 /* a counter could not be read */
	__u32 unused;
	/*
	 * slot of a run that begins; reading the index back from here spares the verifier from
	 * checking each slot
	 */
	__u32 slot;
	/* frame of that run; storing it here turns the pointer into a number */
	__u64 frame;
	__u64 lost[PROG_LOST_ROOM]; /* lost runs, by enum prog_lost */
	struct prog_run runs[PROG_SLOTS];
};

#define PROG_ROW_LAST 0
#define PROG_ROW_NOW 1
#define PROG_ROW_CHARGED 2 /* and one more row for each further slot */
#define PROG_ROWS (PROG_ROW_CHARGED + PROG_SLOTS)

/*
 * On each CPU and for each target, the only entry of the map `totals`. The following data comes
 * after it:
 * - one set, or one set for each cgroup
 * - with --hist, the number of runs in each of the PROG_HIST_BUCKETS buckets (__u64)
 * - the number of runs whose addition has begun (__u64); if it differs from `added`, the sets were
 *   read while a run was being added
 */
struct prog_totals {
	__u64 added; /* runs that were added completely */
	__u64 lost;  /* runs lost with PROG_LOST_BUSY that began while the gate was open */
	/*
	 * ends without a beginning: the run began before the count, the kernel missed its
	 * beginning, or it is not wanted
	 */
	__u64 unpaired;
	__u64 read_errors; /* runs not added because a counter could not be read */
	__u64 hist_max;	   /* the largest value that went into the histogram */
};

/* The sums of a set of runs. A row of words with the sums of the counts follows. */
struct prog_set {
	__u64 runs;  /* runs counted from their beginning to their end */
	__u64 inner; /* runs inside these that were counted on their own */
};

/* How runs are selected by their task. */
enum prog_filter {
	PROG_FILTER_NONE = 0,
	PROG_FILTER_PROCESS = 1, /* the process is in the map `tasks` */
	PROG_FILTER_THREAD = 2,	 /* the thread is in the map `tasks` */
};

/*
 * Buckets of --hist. Each value below PROG_HIST_LINEAR has its own bucket. Above, each power of two
 * has PROG_HIST_LINEAR / 2 buckets of equal width, so that a bucket is never wider than an eighth
 * of its values.
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
