/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions shared by util/count/scope/ and the BPF side of scopes. */
#ifndef PSTAT_SCOPE_H
#define PSTAT_SCOPE_H

/*
 * The maximum number of runs that a thread can have in progress at the same time. It is a power of
 * two. The kernel has the same limit for nested calls whose returns it reports
 * (MAX_URETPROBE_DEPTH). If the kernel cannot allocate enough memory for the state of a thread,
 * pstat chooses a smaller power of two. This is at least SCOPE_LEAST_DEPTH, for which
 * SCOPE_MAX_WORDS fit into 8 KiB.
 */
#define SCOPE_DEPTH 64
#define SCOPE_LEAST_DEPTH 4
/* The number of words of a reading. It is limited by the size of a thread's state (64 KiB). */
#define SCOPE_MAX_WORDS 56
/* SCOPE_MAX_WORDS, rounded up to a power of two. */
#define SCOPE_ROOM_WORDS 64

/*
 * A reading of all events is a row of words: one word for each plain event; three words (count,
 * enabled, running: struct bpf_perf_event_value) for each event that must be read with its times;
 * and the CPU time, the number of context switches and the wall time, if they are needed.
 */
struct scope_words {
	__u32 plain;
	__u32 timed;
	__u32 clock;	/* 0 or 1: all events that measure CPU time use one clock */
	__u32 switches; /* 0 or 1: all events that count context switches use one word */
	__u32 wall;	/* 0 or 1 */
	__u32 words;	/* number of words in a row */
};

/* The first plain events, up to this number, are read and added without a loop. */
#define SCOPE_UNROLLED 8

/*
 * What is fixed while a session runs. User space writes these numbers into the instructions of the
 * programs before it loads them: where the operand of an instruction is SCOPE_PARAM(n), it becomes
 * the value of the parameter n. See scope_params.bpf.h.
 */
enum scope_param {
	/* as in struct scope_words; SCOPE_PARAM_CLOCKS: wall or clock */
	SCOPE_PARAM_PLAIN,
	SCOPE_PARAM_TIMED,
	SCOPE_PARAM_CLOCK,
	SCOPE_PARAM_SWITCHES,
	SCOPE_PARAM_WALL,
	SCOPE_PARAM_CLOCKS,
	SCOPE_PARAM_WORDS,
	SCOPE_PARAM_FEW_SUMS, /* at most SCOPE_UNROLLED words, and one set of sums */
	SCOPE_PARAM_SHORT,    /* at most SCOPE_UNROLLED plain events, and no others */
	SCOPE_PARAM_DEPTH,    /* maximum number of runs in progress */
	SCOPE_PARAM_LAST,     /* the same, minus one */
	/* in bytes: a row; a pair of rows; and the first pair of a run in the state of a thread */
	SCOPE_PARAM_ROW,
	SCOPE_PARAM_PAIR,
	SCOPE_PARAM_START_AT,
	/* offsets of words in a pair of rows, in bytes */
	SCOPE_PARAM_CLOCK_AT,
	SCOPE_PARAM_SWITCHES_AT,
	SCOPE_PARAM_WALL_AT,
	SCOPE_PARAM_HIST_AT,
	SCOPE_PARAM_OUTLIER_AT,
	SCOPE_PARAM_RECORD_AT,	    /* offset in bytes, behind struct scope_task */
	SCOPE_PARAM_HIST,	    /* there are histograms */
	SCOPE_PARAM_OUTLIERS,	    /* there are thresholds */
	SCOPE_PARAM_SINGLE,	    /* one of both */
	SCOPE_PARAM_BRANCHES,	    /* --branches */
	SCOPE_PARAM_INCLUSIVE,	    /* --inclusive */
	SCOPE_PARAM_CGROUPS,	    /* number of cgroups that are counted separately */
	SCOPE_PARAM_KINDS,	    /* there are several kinds of runs */
	SCOPE_PARAM_OTHER_ROW,	    /* the row of a run is not simply that of its cookie */
	SCOPE_PARAM_SOME_CPUS,	    /* -C */
	SCOPE_PARAM_FUNCTIONS_ONLY, /* see place_at_return() */
	SCOPE_PARAM_SYSCALL_POINTS, /* see pstat_sys_exit() */
	SCOPE_PARAM_SYSCALL_EVENTS, /* see scope_syscalls.bpf.h */
	/* for each plain event: its key in the map `events` without the CPU; does it exist? */
	SCOPE_PARAM_KEY,
	SCOPE_PARAM_EVENT = SCOPE_PARAM_KEY + SCOPE_UNROLLED,
	SCOPE_NR_PARAMS = SCOPE_PARAM_EVENT + SCOPE_UNROLLED,
};
#define SCOPE_PARAM(n) (0x70730000 + (n))
/*
 * The same for a jump that is taken if the parameter is 0: this number is loaded into a register
 * that is then compared with 0. If the parameter is not 0, user space removes both instructions.
 */
#define SCOPE_PARAM_JUMP(n) (0x70740000 + (n))

/* All CPU ids in -C are below this number: the kernel can be built for at most 8192 CPUs. */
#define SCOPE_MAX_CPUS 8192

/* The cause of a lost run. */
enum scope_lost {
	SCOPE_LOST_EXIT,   /* its thread exited */
	SCOPE_LOST_EXEC,   /* its thread called execve(2) */
	SCOPE_LOST_JUMP,   /* its function was left without a return, for example by longjmp(3) */
	SCOPE_LOST_DEEP,   /* its thread already had the maximum number of runs in progress */
	SCOPE_LOST_BUSY,   /* an interrupt began it while another run was being recorded */
	SCOPE_LOST_SWITCH, /* a context switch of its thread was not seen */
	SCOPE_LOST_MIDDLE, /* it began in the middle of a context switch */
	SCOPE_LOST_UNREAD, /* a counter could not be read */
	SCOPE_LOST_NO_MEMORY, /* there was no memory for the state of its thread */
	SCOPE_LOST_UNPAIRED,  /* only its end was seen */
	SCOPE_LOST_MOVED,     /* its thread moved to a CPU outside -C */
	/* the kernel did not run the program at its beginning; counted by the kernel */
	SCOPE_LOST_MISSED,
	SCOPE_NR_LOST,
};

/* The classes of probes. Their costs differ. */
enum scope_class {
	SCOPE_CLASS_USER,    /* functions of programs: a uprobe and a return probe */
	SCOPE_CLASS_TP,	     /* tracepoints */
	SCOPE_CLASS_SYSCALL, /* the tracepoints that each system call passes */
	SCOPE_CLASS_FUNC,    /* functions of the kernel */
	SCOPE_CLASS_POINT,   /* two points in programs: uprobes without return probes */
	SCOPE_NR_CLASSES,
};

/* The kinds of a run: the classes of its two points. */
#define SCOPE_KIND(begin, end) ((begin)*SCOPE_NR_CLASSES + (end))
#define SCOPE_KIND_BEGIN(kind) ((kind) / SCOPE_NR_CLASSES)
#define SCOPE_KIND_END(kind) ((kind) % SCOPE_NR_CLASSES)
/* The number of kinds, rounded up to a power of two. */
#define SCOPE_NR_KINDS 32

/* The cookie that the kernel passes to a program at a probe (bpf_get_attach_cookie). */
#define SCOPE_COOKIE(scope, row, at_return, kind) \
	((__u64)(scope) | (__u64)(row) << 16 | (__u64)(kind) << 56 | (__u64)(at_return) << 61)
#define SCOPE_COOKIE_SCOPE(cookie) ((__u32)(cookie)&0xffff)
#define SCOPE_COOKIE_ROW(cookie) ((__u32)((cookie) >> 16) & 0xffff)
#define SCOPE_COOKIE_AT_RETURN(cookie) ((cookie) >> 61 & 1)
#define SCOPE_COOKIE_KIND(cookie) ((__u32)((cookie) >> 56) & (SCOPE_NR_KINDS - 1))

/* Only system calls with a number less than this can be counted. */
#define SCOPE_SYSCALLS 512
/* The points of a system call at which runs begin and end. */
enum scope_syscall_point {
	SCOPE_END_AT_ENTRY,
	SCOPE_BEGIN_AT_ENTRY,
	SCOPE_END_AT_RETURN,
	SCOPE_BEGIN_AT_RETURN,
	SCOPE_NR_SYSCALL_POINTS,
};
/*
 * The cookies of the points of a system call. If a point is used, its cookie has the flag
 * SCOPE_USED.
 */
struct scope_syscall {
	__u64 cookies[SCOPE_NR_SYSCALL_POINTS];
};
#define SCOPE_USED (1ULL << 62)

/* The value of `gate` while pstat measures the cost of counting. */
#define SCOPE_GATE_CALIBRATION 1

/* A run in progress. */
struct scope_run {
	/*
	 * functions: the value of the stack pointer when the function returns; otherwise
	 * SCOPE_SP_...
	 */
	__u64 sp;
	__u64 groups; /* bit mask of the sets of the cgroups in which the run began */
	union {
		struct {
			__u32 place; /* the scope and row of the cookie */
			/*
			 * the run has ended or was lost, but runs above it are still in progress
			 */
			__u8 done;
			__u8 bad; /* SCOPE_BAD_...: why the run is not counted when it ends */
			/* not reported, because the run is inside another run of its row */
			__u8 covered;
			__u8 kind; /* SCOPE_KIND(), and other bits of the cookie */
		};
		__u64 cookie; /* when the run begins */
	};
	union {
		struct {
			__u32 phase; /* the value of gate.phase when the run began */
			/*
			 * the number of runs directly inside this run; with `inclusive`, of all
			 * runs inside it
			 */
			__u32 inner;
		};
		__u64 begun; /* `phase` when the run begins */
	};
};

#define SCOPE_BAD_SWITCH 1    /* the counts of the run are not known */
#define SCOPE_BAD_MOVED 2     /* its thread has run on a CPU that is not in -C */
#define SCOPE_BAD_ELSEWHERE 4 /* it began on a CPU that is not in -C */

#define SCOPE_SP_POINTS 0  /* the run has two points */
#define SCOPE_SP_SYSCALL 1 /* the run is a system call; a thread executes only one at a time */
#define SCOPE_SP_FRAME 2   /* to be replaced by the address of the trampoline's frame */

/* Instead of the scope and the row: the stack pointer alone shows which run ends. */
#define SCOPE_ANY_PLACE 0xffffffff

/*
 * The programs of fentry, fexit and kprobe.session are loaded in a special way. The program of
 * kprobe.session calls a kernel function by its number in the kernel's BTF, which user space writes
 * into the instruction that calls this helper.
 */
#define SCOPE_SECTION_FENTRY "pstat_fentry"
#define SCOPE_SECTION_SESSION "pstat_session"
#define SCOPE_IS_RETURN_CALL 0x70737461

/*
 * The state of a thread, in its task storage. It is followed by rows (SCOPE_PAIR_...). With
 * --outliers, these are followed by a struct scope_outlier and another row, in which a record is
 * built.
 */
struct scope_task {
	union {
		struct {
			/* number of runs in progress, including those that are `done` */
			__u32 nr;
			__u32 busy; /* a program is changing this state */
		};
		__u64 used; /* 0: neither */
	};
	union {
		struct {
			/*
			 * number of context switches of the thread while it had runs in progress
			 */
			__u32 switches;
			__u32 unread; /* a counter could not be read in the last reading */
		};
		__u64 seen; /* both */
	};
	union {
		struct {
			__u32 away; /* the thread has lost its CPU */
			/*
			 * set at a context switch that was not seen: the row `base` is then wrong
			 * for the runs in progress
			 */
			__u32 missed;
		};
		__u64 off; /* 0: neither */
	};
	/* result of find_run(): the lowest run in progress above the run that ends; 0: none */
	__u32 above;
	/*
	 * result of find_run(): the number of functions that turn out to be lost when the run ends
	 */
	__u32 left;
	__u32 in_syscall; /* one of the runs is a system call */
	__u32 row;	  /* with --per-thread: the row of the thread in the report */
	__u32 moves;	  /* how often the thread moved to a CPU that is not in -C during a run */
	__u32 moves_seen; /* value of `moves` when the runs in progress were last marked */
	__u64 frame;	  /* see frame_of() */
	struct scope_run runs[SCOPE_DEPTH];
};

/*
 * Rows come in pairs. Word i of the first row is at the index 2 * i of a pair, and word i of the
 * second row is at 2 * i + 1, so one pointer is enough for both.
 *
 * The first pair of a thread: `base` is added to the values of the counters, and `now` is the
 * reading at the end of a run. The pair of each run: `start` is the reading at its beginning, and
 * `inner` is what the runs inside it counted.
 */
#define SCOPE_PAIR_NOW 0
#define SCOPE_PAIR_RUN(run) (1 + (run))
#define SCOPE_ROWS(depth) (2 + 2 * (depth))

/*
 * The cost of counting, as it appears in one word of a reading. A run has the cost `own`, plus the
 * cost `inner` for each run inside it, plus the cost `nested` if it is itself inside another run.
 */
struct scope_cost {
	__u64 own;
	__u64 inner;
	__u64 nested;
};

/*
 * An entry of the map `totals`. Each CPU has an entry for each set of runs of each row of the
 * report. It is followed by a row of words with the sums, and with --hist by the number of runs in
 * each bucket (__u64), which is used only in the first set. A set contains the runs in one of the
 * cgroups, or all runs.
 */
struct scope_totals {
	__u64 runs;	/* runs that ended on this CPU and were counted */
	__u64 inner;	/* number of runs inside these runs */
	__u64 nested;	/* number of these runs that were inside another run */
	__u64 hist_max; /* the largest value that was added to the histogram */
	/*
	 * with cgroups, in the first set of a row: the number of runs that were counted in any set
	 */
	__u64 added;
};

/*
 * A record of --outliers. It is followed by a row of words with the counts of the run, and with
 * --branches by a struct branch_block.
 */
struct scope_outlier {
	__u64 begin, end; /* ns of CLOCK_MONOTONIC */
	__u32 scope;
	__u32 inner, nested; /* as in struct scope_totals, but for this run */
	__u32 cpu;	     /* id of the CPU on which the run ended */
	__u32 pid, tid;	     /* in pstat's pid namespace; 0: the task has no id there */
	char comm[16];
};

/* The numbers of runs above their thresholds that ended on a CPU. */
struct scope_outlier_sums {
	__u64 passed;
	__u64 suppressed; /* dropped by the rate limit */
	__u64 lost;	  /* there was no room in the buffer */
};

_Static_assert(SCOPE_NR_KINDS >= SCOPE_NR_CLASSES * SCOPE_NR_CLASSES, "each kind has a number");
_Static_assert(sizeof(struct scope_run) == 32, "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_task) == 56 + SCOPE_DEPTH * sizeof(struct scope_run),
	       "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_totals) == 40, "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_outlier) == 56, "same layout on both sides, no holes");

#endif
