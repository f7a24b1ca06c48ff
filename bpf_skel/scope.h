/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Definitions shared by util/count/scope/ and the BPF side of scopes.
 *
 * A scope is a pair of points in programs or in the kernel, for example the entry and the return of
 * a function. A run of the scope begins when a thread passes the first point, and ends when the
 * same thread passes the second point. The BPF programs at the points count the events of each run.
 *
 * Here and in the BPF programs, "a row of the report" means the counts of all events for one
 * subject (a scope or a thread), or for all runs together. Other rows are rows of words (struct
 * scope_words).
 */
#ifndef PSTAT_SCOPE_H
#define PSTAT_SCOPE_H

/*
 * The maximum number of runs that a thread can have in progress at the same time. It is a power of
 * two. The kernel has the same limit for nested uretprobes (MAX_URETPROBE_DEPTH). If the kernel
 * cannot allocate the memory for SCOPE_DEPTH runs per thread, pstat uses a smaller power of two, at
 * least SCOPE_LEAST_DEPTH. With SCOPE_LEAST_DEPTH, the state of a thread fits into 8 KiB even if a
 * reading has SCOPE_MAX_WORDS words.
 */
#define SCOPE_DEPTH 64
#define SCOPE_LEAST_DEPTH 4
/*
 * The maximum number of words in a reading (struct scope_words). With this limit, the state of a
 * thread, including its rows, stays below 64 KiB, which is the kernel's limit for a value in task
 * storage.
 */
#define SCOPE_MAX_WORDS 56
/* SCOPE_MAX_WORDS, rounded up to a power of two. */
#define SCOPE_ROOM_WORDS 64

/*
 * A reading contains the values of all events at one moment. It is a row of 64-bit words. The
 * members of this struct, except `words`, describe the words of the row, in the order of the words.
 */
struct scope_words {
	__u32 plain; /* number of events without times: one word each */
	/* number of events with times (struct bpf_perf_event_value): three words each */
	__u32 timed;
	/* number of words for CPU time, 0 or 1: all events that measure CPU time share the word */
	__u32 clock;
	/*
	 * number of words for context switches, 0 or 1: all events that count context switches
	 * share the word
	 */
	__u32 switches;
	__u32 wall;  /* number of words for wall time, 0 or 1 */
	__u32 words; /* total number of words */
};

/*
 * If there are at most this many plain events, and no timed events, the events are read without a
 * loop. If there are at most this many words, and no cgroups, the words are added to the totals
 * without a loop.
 */
#define SCOPE_UNROLLED 8

/*
 * The parameters of the programs: numbers that are fixed while a session runs. Before user space
 * loads the programs, it replaces each instruction operand SCOPE_PARAM(n) with the value of
 * parameter n. See scope_params.bpf.h. A parameter that is described by a condition is 1 if the
 * condition is true, otherwise 0.
 */
enum scope_param {
	/* the members of struct scope_words, and SCOPE_PARAM_CLOCKS */
	SCOPE_PARAM_PLAIN,
	SCOPE_PARAM_TIMED,
	SCOPE_PARAM_CLOCK,
	SCOPE_PARAM_SWITCHES,
	SCOPE_PARAM_WALL,
	SCOPE_PARAM_CLOCKS, /* there is a word for CPU time or for wall time */
	SCOPE_PARAM_WORDS,
	SCOPE_PARAM_FEW_SUMS, /* at most SCOPE_UNROLLED words, and no cgroups */
	SCOPE_PARAM_SHORT,    /* at most SCOPE_UNROLLED plain events, and no timed events */
	SCOPE_PARAM_DEPTH,    /* maximum number of runs in progress in a thread */
	SCOPE_PARAM_LAST,     /* the same maximum, minus 1: a bit mask */
	/*
	 * the next three parameters are numbers of bytes; pairs of rows are described at
	 * SCOPE_PAIR_NOW
	 */
	SCOPE_PARAM_ROW,      /* size of a row */
	SCOPE_PARAM_PAIR,     /* size of a pair of rows */
	SCOPE_PARAM_START_AT, /* offset of the first run's pair in the state of a thread */
	/* the next five parameters are byte offsets of words in a pair of rows */
	SCOPE_PARAM_CLOCK_AT,
	SCOPE_PARAM_SWITCHES_AT,
	SCOPE_PARAM_WALL_AT,
	SCOPE_PARAM_HIST_AT,	/* the word that is added to histograms */
	SCOPE_PARAM_OUTLIER_AT, /* the word that is compared with thresholds */
	SCOPE_PARAM_RECORD_AT,	/* byte offset of a record from the end of struct scope_task */
	SCOPE_PARAM_HIST,	/* there are histograms (--hist) */
	SCOPE_PARAM_OUTLIERS,	/* there are thresholds (--outliers) */
	SCOPE_PARAM_SINGLE,	/* there are histograms or thresholds */
	SCOPE_PARAM_BRANCHES,	/* --branches */
	SCOPE_PARAM_INCLUSIVE,	/* --inclusive */
	SCOPE_PARAM_CGROUPS,	/* number of cgroups that have a set (struct scope_totals) */
	SCOPE_PARAM_KINDS,	/* there are several kinds of runs (SCOPE_KIND()) */
	/*
	 * the key in the map `totals` can differ from the row in the cookie of a point
	 * (SCOPE_COOKIE())
	 */
	SCOPE_PARAM_OTHER_ROW,
	SCOPE_PARAM_SOME_CPUS, /* -C */
	/*
	 * each scope that uses a kernel function has the function's entry and return as its points
	 */
	SCOPE_PARAM_FUNCTIONS_ONLY,
	/*
	 * the entry or the return of a system call is one of two separate points of a scope; then
	 * pstat_sys_exit() looks up the cookies
	 */
	SCOPE_PARAM_SYSCALL_POINTS,
	/* the programs of system calls are attached to perf events (scope_syscalls.bpf.h) */
	SCOPE_PARAM_SYSCALL_EVENTS,
	/*
	 * for each of the first SCOPE_UNROLLED plain events: the key, in the map `events`, of its
	 * perf event on CPU 0
	 */
	SCOPE_PARAM_KEY,
	/*
	 * for each index below SCOPE_UNROLLED: 1 if there is a plain event with this index,
	 * otherwise 0
	 */
	SCOPE_PARAM_EVENT = SCOPE_PARAM_KEY + SCOPE_UNROLLED,
	SCOPE_NR_PARAMS = SCOPE_PARAM_EVENT + SCOPE_UNROLLED,
};
#define SCOPE_PARAM(n) (0x70730000 + (n))
/*
 * The operand for a jump that is taken if parameter n is 0. One instruction loads the operand into
 * a register, and the next instruction compares the register with 0 and jumps. User space replaces
 * this operand, too. If the parameter is not 0, user space also removes the two instructions,
 * unless this would make other instructions unreachable, which the verifier refuses.
 */
#define SCOPE_PARAM_JUMP(n) (0x70740000 + (n))

/* All CPU ids are less than this number, because kernels support at most 8192 CPUs. */
#define SCOPE_MAX_CPUS 8192

/* The cause of a lost run. A run is lost if pstat cannot count it. */
enum scope_lost {
	SCOPE_LOST_EXIT, /* the thread exited */
	SCOPE_LOST_EXEC, /* the thread called execve(2) */
	/*
	 * the function was left without a return, for example by longjmp(3), or the kernel did not
	 * report that the function or system call returned
	 */
	SCOPE_LOST_JUMP,
	SCOPE_LOST_DEEP, /* the thread already had the maximum number of runs in progress */
	/*
	 * the run began or ended in an interrupt while a program was changing the state of the
	 * thread
	 */
	SCOPE_LOST_BUSY,
	/*
	 * a context switch of the thread was not reported, or the counters could not be read at a
	 * switch
	 */
	SCOPE_LOST_SWITCH,
	SCOPE_LOST_MIDDLE, /* the run began in the middle of a context switch */
	/* the counters could not be read at the beginning or the end of the run */
	SCOPE_LOST_UNREAD,
	SCOPE_LOST_NO_MEMORY, /* there was no memory for the state of the thread */
	SCOPE_LOST_UNPAIRED,  /* only the end of the run was seen */
	SCOPE_LOST_MOVED,     /* the thread moved to a CPU that is not in -C */
	/* the kernel skipped the program at the beginning of the run, and counted a miss */
	SCOPE_LOST_MISSED,
	SCOPE_NR_LOST,
};

/* The class of a probe at one point. The cost of counting depends on the class. */
enum scope_class {
	/*
	 * a return probe in a program, or the uprobe at the first point of a scope whose second
	 * point is such a return probe
	 */
	SCOPE_CLASS_USER,
	SCOPE_CLASS_TP,	     /* a tracepoint */
	SCOPE_CLASS_SYSCALL, /* one of the two tracepoints that each system call passes */
	/* the entry or the return of a kernel function, if the scope is the whole function */
	SCOPE_CLASS_FUNC,
	SCOPE_CLASS_POINT,	 /* any other uprobe in a program */
	SCOPE_CLASS_FUNC_ENTRY,	 /* any other entry of a kernel function */
	SCOPE_CLASS_FUNC_RETURN, /* any other return of a kernel function */
	SCOPE_NR_CLASSES,
};

/* The kind of a run: the classes of the probes at its two points. */
#define SCOPE_KIND(begin, end) ((begin)*SCOPE_NR_CLASSES + (end))
#define SCOPE_KIND_BEGIN(kind) ((kind) / SCOPE_NR_CLASSES)
#define SCOPE_KIND_END(kind) ((kind) % SCOPE_NR_CLASSES)
/* The number of kinds, rounded up to a power of two. */
#define SCOPE_NR_KINDS 64

/*
 * The cookie of a point. The program at the point gets this number from bpf_get_attach_cookie().
 * @row is the row of the report to which the runs are added (but see SCOPE_PARAM_OTHER_ROW).
 * @at_return is 1 if a run begins at the entry of a function or system call and ends at its return,
 * otherwise 0.
 */
#define SCOPE_COOKIE(scope, row, at_return, kind) \
	((__u64)(scope) | (__u64)(row) << 16 | (__u64)(kind) << 56 | (__u64)(at_return) << 62)
#define SCOPE_COOKIE_SCOPE(cookie) ((__u32)(cookie)&0xffff)
#define SCOPE_COOKIE_ROW(cookie) ((__u32)((cookie) >> 16) & 0xffff)
#define SCOPE_COOKIE_AT_RETURN(cookie) ((cookie) >> 62 & 1)
#define SCOPE_COOKIE_KIND(cookie) ((__u32)((cookie) >> 56) & (SCOPE_NR_KINDS - 1))

/* Only system calls whose numbers are less than this limit can be counted. */
#define SCOPE_SYSCALLS 512
/* The points of a system call: at its entry and at its return, a run can end or begin. */
enum scope_syscall_point {
	SCOPE_END_AT_ENTRY,
	SCOPE_BEGIN_AT_ENTRY,
	SCOPE_END_AT_RETURN,
	SCOPE_BEGIN_AT_RETURN,
	SCOPE_NR_SYSCALL_POINTS,
};
/*
 * The cookie of each point of a system call, with the flag SCOPE_USED; or 0 if the point is not
 * used.
 */
struct scope_syscall {
	__u64 cookies[SCOPE_NR_SYSCALL_POINTS];
};
#define SCOPE_USED (1ULL << 63)

/* The value of gate.phase while pstat measures the cost of counting. */
#define SCOPE_GATE_CALIBRATION 1

/* A run in progress. */
struct scope_run {
	/*
	 * if the run is a call of a function: the value of the stack pointer at the return, or
	 * another value that identifies the call (see CALLER() in scope.bpf.c, and SCOPE_SP_FRAME);
	 * otherwise SCOPE_SP_POINTS or SCOPE_SP_SYSCALL
	 */
	__u64 sp;
	/* with cgroups: bit mask of the sets (struct scope_totals) to which the run is added */
	__u64 groups;
	union {
		struct {
			__u32 place; /* the lower half of the cookie: scope and row */
			/*
			 * the run has ended or is lost, but stays in scope_task.runs because later
			 * runs are in progress
			 */
			__u8 done;
			__u8 bad; /* SCOPE_BAD_...: why the run will not be counted */
			/*
			 * with --inclusive: not reported, because the run is inside another run of
			 * the same row
			 */
			__u8 covered;
			__u8 kind; /* SCOPE_KIND(), and other bits of the cookie */
		};
		__u64 cookie; /* written when the run begins: sets the members above */
	};
	union {
		struct {
			__u32 phase; /* the value of gate.phase when the run began */
			/*
			 * the number of runs directly inside this run; with --inclusive, the number
			 * of all runs inside this run
			 */
			__u32 inner;
		};
		__u64 begun; /* written when the run begins: sets `phase`, clears `inner` */
	};
};

/*
 * the counts of the run are not known, because a context switch was not reported, or because the
 * counters could not be read at a switch
 */
#define SCOPE_BAD_SWITCH 1
#define SCOPE_BAD_MOVED 2     /* the thread has run on a CPU that is not in -C */
#define SCOPE_BAD_ELSEWHERE 4 /* the run began on a CPU that is not in -C */

#define SCOPE_SP_POINTS 0  /* the run is between two separate points */
#define SCOPE_SP_SYSCALL 1 /* the run is a system call; a thread has at most one at a time */
/*
 * placeholder; begin_in() and end_in() replace it with the address of the frame of the trampoline
 * (the kernel code that calls fentry and fexit programs)
 */
#define SCOPE_SP_FRAME 2

/*
 * A place (see struct scope_run) that matches all runs. With SCOPE_ANY_PLACE, only the stack
 * pointer shows which run ends.
 */
#define SCOPE_ANY_PLACE 0xffffffff

/*
 * The ELF sections of programs that libbpf 1.1 cannot load by itself. Fentry and fexit programs
 * must be loaded once for each point, but libbpf loads each program only once. libbpf 1.1 does not
 * know kprobe.session programs.
 */
#define SCOPE_SECTION_FENTRY "pstat_fentry"
#define SCOPE_SECTION_SESSION "pstat_session"
/*
 * The operand of the call to bpf_session_is_return(). User space replaces it with the ID of this
 * kernel function in the kernel's BTF.
 */
#define SCOPE_IS_RETURN_CALL 0x70737461

/*
 * The state of a thread, in its task storage. In memory, this struct is followed by the rows of the
 * thread (SCOPE_PAIR_...). With --outliers, these rows are followed by space in which the programs
 * build a record: a struct scope_outlier and the data that follows it.
 */
struct scope_task {
	union {
		struct {
			/* number of runs in progress, including runs that are `done` */
			__u32 nr;
			__u32 busy; /* a program is changing this state */
		};
		__u64 used; /* 0: no runs in progress, and not busy */
	};
	union {
		struct {
			/*
			 * how many times the thread was switched in or out while it had runs in
			 * progress
			 */
			__u32 switches;
			__u32 unread; /* 1: the latest reading at a point failed */
		};
		__u64 seen; /* `switches` and `unread`, to read both at once */
	};
	union {
		struct {
			__u32 away; /* the thread is off the CPU */
			/*
			 * a context switch was not reported, or the counters could not be read at a
			 * switch, so the row `base` is wrong for the runs in progress
			 */
			__u32 missed;
		};
		__u64 off; /* 0: the thread is on the CPU, and the row `base` is correct */
	};
	/*
	 * result of find_run(): the lowest index in `runs` of a run in progress that began after
	 * the run that ends; 0: there is none
	 */
	__u32 above;
	/* result of find_run(): the number of lost runs that it found */
	__u32 left;
	__u32 in_syscall; /* a run of a system call has begun, and the call has not returned yet */
	__u32 row;	  /* with --per-thread: the row of the thread in the report */
	__u32 moves;	  /* how many times the thread got a CPU that is not in -C */
	__u32 moves_seen; /* value of `moves` when it was last checked */
	/* temporary copy of a frame pointer; see frame_of() in scope_runs.bpf.h */
	__u64 frame;
	struct scope_run runs[SCOPE_DEPTH];
};

/*
 * Rows are stored in pairs, so that a program needs only one pointer for two rows. Word i of the
 * first row has the index 2 * i in the pair, and word i of the second row has the index 2 * i + 1.
 *
 * SCOPE_PAIR_NOW: the first row, `base`, is added to the values of the current CPU's counters to
 * get the counts of the thread (see scope_read.bpf.h). The second row, `now`, is the reading at the
 * end of a run.
 *
 * SCOPE_PAIR_RUN(): the first row, `start`, is the reading at the beginning of the run. The second
 * row, `inner`, is subtracted from the counts of the run. Without --inclusive, it contains the
 * counts of the runs inside this run. With several kinds of runs, it also contains corrections for
 * the cost of counting (more_own and more_inner in scope_rare.bpf.h).
 */
#define SCOPE_PAIR_NOW 0
#define SCOPE_PAIR_RUN(run) (1 + (run))
#define SCOPE_ROWS(depth) (2 + 2 * (depth))

/*
 * The cost of counting a run: what the probes and the BPF programs themselves add to the run's
 * count for one word of a reading.
 */
struct scope_cost {
	__u64 own;    /* cost of each run */
	__u64 inner;  /* additional cost for each run inside the run */
	__u64 nested; /* additional cost if the run is inside another run */
};

/*
 * An entry of the per-CPU map `totals`: the sums for one set of runs in one row of the report. A
 * set contains the runs in one of the cgroups, or all runs. In memory, this struct is followed by a
 * row of words with the sums. With --hist, the sums are followed by an array of __u64: the number
 * of runs in each bucket of the histogram. In each row of the report, only the array of the first
 * set is used.
 */
struct scope_totals {
	__u64 runs;	/* runs that ended on this CPU and are counted */
	__u64 inner;	/* number of runs inside these runs */
	__u64 nested;	/* number of these runs that were inside other runs */
	__u64 hist_max; /* the largest value that was added to the histogram */
	/*
	 * with cgroups, in the first set of a row: the number of runs that were counted in at least
	 * one set
	 */
	__u64 added;
};

/*
 * A record of --outliers. In memory, this struct is followed by a row of words with the counts of
 * the run and, with --branches, by a struct branch_block.
 */
struct scope_outlier {
	__u64 begin, end; /* ns of CLOCK_MONOTONIC */
	__u32 scope;
	__u32 inner, nested; /* as in struct scope_totals, but for this run */
	__u32 cpu;	     /* id of the CPU on which the run ended */
	/* ids in pstat's PID namespace; 0: the task has no id in this namespace */
	__u32 pid, tid;
	char comm[16];
};

/* The numbers of runs that ended on one CPU with a count above the threshold. */
struct scope_outlier_sums {
	__u64 passed;	  /* all of these runs */
	__u64 suppressed; /* not sent, because of the rate limit */
	__u64 lost;	  /* not sent, because there was no room in the buffer */
};

_Static_assert(SCOPE_NR_KINDS >= SCOPE_NR_CLASSES * SCOPE_NR_CLASSES, "each kind has a number");
_Static_assert(sizeof(struct scope_run) == 32, "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_task) == 56 + SCOPE_DEPTH * sizeof(struct scope_run),
	       "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_totals) == 40, "same layout on both sides, no holes");
_Static_assert(sizeof(struct scope_outlier) == 56, "same layout on both sides, no holes");

#endif
