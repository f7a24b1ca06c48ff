/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that util/count/prog/ exchanges with the BPF programs of -b. These programs count events in
 * each run of other BPF programs, the targets.
 */
#ifndef PSTAT_PROG_PROFILER_H
#define PSTAT_PROG_PROFILER_H

/* The maximum number of runs in progress on one CPU, including nested and preempted runs. */
#define PROG_SLOTS 8
#define PROG_MAX_EVENTS 64
/*
 * The maximum number of sets (struct prog_set). There is a set for each cgroup, and a set for all
 * runs if there are no cgroups or some events have no cgroup.
 */
#define PROG_MAX_CGROUPS 64

/*
 * A reading (the values of all events at one moment) is a row of words (__u64):
 * - one word for the clock, if an event measures time
 * - one word for each plain event (only its count is read)
 * - three words (struct bpf_perf_event_value: count, enabled, running) for each timed event, which
 *   must be read with its times
 */
struct prog_words {
	/* number of words for the clock, 0 or 1: all events that measure time share the word */
	__u32 clock;
	__u32 plain; /* number of plain events */
	__u32 timed; /* number of timed events */
	__u32 words; /* number of words in a row */
};

/* The cause of a lost run (a run that cannot be counted). */
enum prog_lost {
	/*
	 * an interrupt or another task started the run while a program was changing the state of
	 * the CPU (struct prog_cpu); `lost` in struct prog_totals counts these runs for each target
	 */
	PROG_LOST_BUSY,
	/* another task got the CPU while the start or end of a run was being recorded */
	PROG_LOST_SWITCH,
	PROG_LOST_NO_SLOT, /* more than PROG_SLOTS runs were in progress */
	PROG_LOST_NO_END,  /* the end of this run, or of another run in progress, was not seen */
	PROG_LOST_UNREAD,  /* a counter could not be read while the run was in progress */
	PROG_NR_LOST,
};
/* The size of prog_cpu.lost. It is a power of two, so that a mask can limit the index. */
#define PROG_LOST_ROOM 8

/* A run in progress. */
struct prog_run {
	/*
	 * the address of the frame of the trampoline, the kernel code that calls the fentry and
	 * fexit programs; it is the same at the start and the end of a run; 0: the slot is free
	 */
	__u64 frame;
	/*
	 * the address of the task that was switched out while this run was the owner (struct
	 * prog_cpu); 0 before that, and after the task has been switched in again
	 */
	__u64 task;
	__u64 groups; /* with cgroups: bit mask of the sets to which the run is added */
	__u32 phase;  /* the value of gate.phase when the run began */
	__u32 parent; /* slot + 1 of the owner (struct prog_cpu) when this run began; 0: none */
	__u32 inner;  /* number of runs whose parent is this run */
	/*
	 * nonzero: the slot's row (PROG_ROW_CHARGED) contains counts charged to this run; 0: the
	 * row's contents are meaningless
	 */
	__u32 charged;
};

/*
 * The state of one CPU (map `cpu_runs`). All targets of a session share this state. Counts are
 * added (charged) to only one run at a time, the owner. So the counts of an inner run are not
 * included in the counts of the outer run. The counts since the last reading belong to the owner,
 * but have not been charged yet. In memory, this struct is followed by PROG_ROWS rows of words
 * (PROG_ROW_...).
 */
struct prog_cpu {
	/* 1: runs on this CPU are not counted; set by user space before counting starts */
	__u32 skip;
	__u32 busy;	 /* a BPF program is changing this state */
	__u32 disturbed; /* another task got the CPU while `busy` was set */
	__u32 nr;	 /* number of slots in use */
	__u32 owner;	 /* the owner's slot + 1; 0: the running task has no run in progress */
	__u32 unread;	 /* a counter could not be read */
	__u32 unused;
	/*
	 * the result of a search for a slot; it is stored here, so that the verifier does not
	 * examine the code after the search once for each slot
	 */
	__u32 slot;
	/*
	 * the frame of the run that begins; storing the pointer here turns it into a number for the
	 * verifier
	 */
	__u64 frame;
	__u64 lost[PROG_LOST_ROOM]; /* number of lost runs, by enum prog_lost */
	struct prog_run runs[PROG_SLOTS];
};

#define PROG_ROW_LAST 0 /* the last reading */
#define PROG_ROW_NOW 1	/* the current reading */
/* the first of PROG_SLOTS rows: the counts charged so far to the run in each slot */
#define PROG_ROW_CHARGED 2
#define PROG_ROWS (PROG_ROW_CHARGED + PROG_SLOTS)

/*
 * The totals of a target on one CPU (map `totals`). In memory, this struct is followed by:
 * - the sets (struct prog_set): one for each cgroup, or one for all runs, or both
 * - with --hist, the number of runs in each of the PROG_HIST_BUCKETS buckets (__u64)
 * - the number of runs whose addition has begun (__u64). If this number differs from `added`, the
 *   totals were read while a run was being added.
 */
struct prog_totals {
	__u64 added; /* runs that were added completely */
	__u64 lost;  /* runs lost because of PROG_LOST_BUSY while the gate was open */
	/*
	 * ends that match no run in progress: the run began while the gate was closed, the kernel
	 * did not call the program at the run's beginning, the user did not select the run, or the
	 * run is counted as lost or in read_errors
	 */
	__u64 unpaired;
	__u64 read_errors; /* runs not added because a counter could not be read */
	__u64 hist_max;	   /* the largest value that was added to the histogram */
};

/*
 * The sums of a set of runs. In memory, this struct is followed by a row of words with the sums of
 * the counts.
 */
struct prog_set {
	__u64 runs;  /* runs that were counted */
	__u64 inner; /* separately counted runs inside these runs */
};

/* How runs are selected by their task. */
enum prog_filter {
	PROG_FILTER_NONE = 0,
	PROG_FILTER_PROCESS = 1, /* the process is in the map `tasks` */
	PROG_FILTER_THREAD = 2,	 /* the thread is in the map `tasks` */
};

/*
 * Buckets of --hist. Each value below PROG_HIST_LINEAR has its own bucket. From PROG_HIST_LINEAR
 * on, the values from each power of two to the next are divided into PROG_HIST_LINEAR / 2 buckets
 * of equal width. The width of such a bucket is at most an eighth of the bucket's smallest value.
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
