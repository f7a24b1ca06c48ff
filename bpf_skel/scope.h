/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions that the BPF side of scopes and util/count/scope/ share. */
#ifndef PSTAT_SCOPE_H
#define PSTAT_SCOPE_H

/*
 * The number of runs that a thread can have in progress at the same time. The kernel does not
 * report the return of more nested calls either (MAX_URETPROBE_DEPTH). A power of two.
 */
#define SCOPE_DEPTH 64
/* The number of words of a reading. It is limited by the size of a thread's state (64 KiB). */
#define SCOPE_MAX_WORDS 56

/*
 * A reading of all events is a row of words: the wall time and the time on CPUs, if they are
 * needed; one word for each plain event; and three words (count, enabled, running: struct
 * bpf_perf_event_value) for each event that must be read with its times.
 */
struct scope_words {
	__u32 wall;  /* 0 or 1 */
	__u32 clock; /* 0 or 1: one clock serves all events that measure time on CPUs */
	__u32 plain;
	__u32 timed;
	__u32 words; /* all words of a row */
};

/* Why a run could not be counted (a lost run). */
enum scope_lost {
	SCOPE_LOST_EXIT,   /* its thread exited */
	SCOPE_LOST_EXEC,   /* its thread called execve(2) */
	SCOPE_LOST_JUMP,   /* its function was left without a return, for example by longjmp(3) */
	SCOPE_LOST_DEEP,   /* its thread had SCOPE_DEPTH runs in progress */
	SCOPE_LOST_BUSY,   /* an interrupt began it while another run was being recorded */
	SCOPE_LOST_SWITCH, /* a context switch of its thread was not seen */
	SCOPE_LOST_UNREAD, /* a counter could not be read */
	SCOPE_LOST_NO_MEMORY, /* there was no memory for the state of its thread */
	SCOPE_LOST_UNPAIRED,  /* an end without a beginning */
	SCOPE_NR_LOST,
};

/* What the kernel passes to the programs at a probe (bpf_get_attach_cookie). */
#define SCOPE_COOKIE(scope, row, at_return) \
	((__u64)(scope) | (__u64)(row) << 16 | (__u64)(at_return) << 32)
#define SCOPE_COOKIE_SCOPE(cookie) ((__u32)(cookie)&0xffff)
#define SCOPE_COOKIE_ROW(cookie) ((__u32)((cookie) >> 16) & 0xffff)
#define SCOPE_COOKIE_AT_RETURN(cookie) ((cookie) >> 32 & 1)

/* A run in progress. */
struct scope_run {
	/* functions: value of the stack pointer when the function returns; 0: two points */
	__u64 sp;
	__u32 scope;
	__u32 phase; /* value of `gate` when the run began */
	__u32 inner; /* number of runs inside this run */
	__u16 done;  /* the run has ended or was lost, but runs above it are still in progress */
	__u16 bad;   /* what the run has counted is not known */
};

/*
 * The state of a thread, in its task storage. Rows of words follow: SCOPE_ROW_...
 */
struct scope_task {
	__u32 nr;	/* number of runs in progress, including those that are `done` */
	__u32 busy;	/* a program is changing this state */
	__u32 switches; /* context switches of the thread while it had runs in progress */
	__u32 unread;	/* a counter could not be read in the latest reading */
	__u32 away;	/* the thread has lost its CPU */
	/* set at a context switch: the base is wrong for runs that began before */
	__u32 missed;
	/* for programs: the lowest run in progress above the run that ends; 0: none */
	__u32 above;
	/* for programs: the number of functions that the run that ends shows to be lost */
	__u32 left;
	struct scope_run runs[SCOPE_DEPTH];
};

#define SCOPE_ROW_BASE 0 /* what the counters' values have to be corrected by */
#define SCOPE_ROW_NOW 1	 /* the reading at the end of a run */
/* for each run: the reading at its beginning, and what was counted in runs inside it */
#define SCOPE_ROW_START(run) (2 + 2 * (run))
#define SCOPE_ROW_INNER(run) (3 + 2 * (run))
#define SCOPE_ROWS (2 + 2 * SCOPE_DEPTH)

/*
 * On each CPU and for each row of the report, an entry of the map `totals`. A row of words with the
 * sums follows, and with --hist the number of runs in each bucket (__u64).
 */
struct scope_totals {
	__u64 runs;	/* runs that ended on this CPU and were counted */
	__u64 inner;	/* runs inside these runs */
	__u64 nested;	/* those of these runs that were inside another run */
	__u64 hist_max; /* the largest value that went into the histogram */
};

/* How runs are selected by their task. */
enum scope_filter {
	SCOPE_FILTER_NONE = 0,
	SCOPE_FILTER_PROCESS = 1, /* the process is in the map `tasks` */
	SCOPE_FILTER_THREAD = 2,  /* the thread is in the map `tasks` */
};

_Static_assert(sizeof(struct scope_run) == 24, "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_task) == 32 + SCOPE_DEPTH * sizeof(struct scope_run),
	       "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_totals) == 32, "same layout on both sides, no holes");

#endif
