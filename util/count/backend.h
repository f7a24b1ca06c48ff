/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backend counts events in one particular way, for example with perf fds or inside BPF programs.
 * It works on a group: all events that the backend counts in one session. The events of a group are
 * opened, enabled and read together. (A perf group, {a,b}, is a different concept.)
 *
 * The order of calls is open, enable, read any number of times, disable, close. The session may
 * call enable again after disable; the totals then continue. The session may call read at any time
 * between open and close. It may call close at any time, even after a failed open. A closed group
 * can be opened again.
 *
 * Most backends have their own folder in util/count/. The file backend-NAME.c in such a folder
 * describes the other files there. Only backend-tool.c and backend-cputime.c are in util/count/
 * itself.
 */
#ifndef PSTAT_COUNT_BACKEND_H
#define PSTAT_COUNT_BACKEND_H

#include <stdbool.h>
#include <sys/types.h>

struct backend_group;
struct counts;
struct cpumap;
struct evsel;
struct gate;
struct hist_rows;
struct measurement;
struct outlier_sums;
struct session_sink;
struct stat_config;
struct strbuf;
struct subjects;
struct threadmap;

/* Whether a backend's tables of counts (counts.h) have a row for each CPU, or only a single row. */
enum backend_cpus {
	/*
	 * a row for each CPU; if tasks are counted, a single row, because the kernel does not split
	 * a task's count by CPU
	 */
	CPUS_UNLESS_TASKS,
	CPUS_ALWAYS, /* a row for each CPU, even if tasks are counted */
	CPUS_NEVER,
};

/*
 * How a backend uses the list of counted threads. If threads, BPF programs, scopes (code between
 * two points) or cgroups are counted separately, they are called subjects (subjects.h). If there
 * are subjects and the backend sets by_subject, the columns of its counts are the subjects,
 * regardless of this enum.
 */
enum backend_threads {
	THREADS_APART,	  /* the counts have a column for each thread */
	THREADS_TOGETHER, /* the counts have a single column for all threads together */
	THREADS_UNUSED,	  /* backend_group.threads is NULL; the counts have a single column */
};

/*
 * The properties and functions of a backend. Each int function returns 0 or -errno, and stores the
 * reason for an error in group->why (reason.h), unless its comment says otherwise.
 */
struct counter_backend {
	const char *name;
	enum backend_cpus cpus;
	enum backend_threads threads;
	/* If the session has subjects, the counts have a column for each subject. */
	bool by_subject;
	/* Needs backend_group.online, even if its counts have no rows for CPUs. */
	bool needs_online;
	/*
	 * Also counts the runs of BPF programs (-b) or scopes (--scope), that is, `run_cnt`. If the
	 * session counts these runs, it uses this backend even if the group has no events.
	 */
	bool counts_runs;
	/*
	 * Counts perf events without BPF. If an option or a modifier asks for BPF, but the event is
	 * assigned to this backend, pstat says so with -v.
	 */
	bool is_native;
	/*
	 * The kernel removes the backend's events from a task when the task executes a program with
	 * more privileges (exec-loss.h).
	 */
	bool loses_at_exec;
	/*
	 * Tests whether this kernel supports the backend. Returns 0, or -errno with the reason in
	 * @why_not. NULL: all kernels support the backend.
	 */
	int (*probe)(struct strbuf *why_not);
	/*
	 * Opens the events without enabling them. If the machine cannot count an event, marks the
	 * event's counts as unsupported and continues. Returns -ESTALE if a BPF program or function
	 * that the user selected does not exist.
	 */
	int (*open)(struct backend_group *group, const struct stat_config *cfg);
	/*
	 * Starts counting. The first call after open starts the totals at zero; later calls
	 * continue the totals. Without -D, the session executes the command only after it has
	 * enabled all groups.
	 */
	int (*enable)(struct backend_group *group);
	/*
	 * Called after the exec of the command @pid, while the command is stopped before its first
	 * instruction. Moves breakpoints on symbols to the addresses that the symbols have after
	 * the exec. NULL: not needed.
	 */
	int (*at_exec)(struct backend_group *group, pid_t pid);
	/*
	 * wake_fd() returns an fd that is readable when serve() has work to do, for example because
	 * BPF programs have sent records. It returns -1 if there is never any work in this session.
	 * Both functions are NULL if the backend never has work.
	 */
	int (*wake_fd)(const struct backend_group *group);
	int (*serve)(struct backend_group *group);
	/*
	 * Called when the set of online CPUs has changed to @online; group->online is still the
	 * previous set. Can be called at any time between open and close, even while the group is
	 * disabled.
	 *
	 * If CPUs went offline, the backend adds their counts to the totals and closes their
	 * events, because these events never count again. If CPUs came online, the backend opens
	 * events on them. If a CPU went offline and came back before the session noticed, there are
	 * two calls: in the first, @online lacks this CPU; in the second, @online contains it.
	 * NULL: not needed.
	 */
	int (*cpus_changed)(struct backend_group *group, const struct cpumap *online);
	/* Stores the totals of each event in group->counts (see counts__set()). */
	int (*read)(struct backend_group *group);
	/*
	 * Updates measurement.lost_runs. (close also updates it.) NULL: the backend counts no runs.
	 */
	int (*read_lost)(struct backend_group *group);
	/*
	 * If needs_tending() returns true, the session calls tend() periodically from open to
	 * close, even while the group is disabled. Both are NULL if the backend needs no such
	 * calls.
	 */
	bool (*needs_tending)(const struct stat_config *cfg);
	int (*tend)(struct backend_group *group);
	int (*disable)(struct backend_group *group);
	/*
	 * Called instead of disable if the next call will be close or suspend. So stop may omit
	 * steps that close and suspend perform anyway. NULL: the session calls disable.
	 */
	int (*stop)(struct backend_group *group);
	/*
	 * Like close, but the group will be opened again with the same events. May keep data in
	 * group->kept for the next open; close frees this data. NULL: the session calls close.
	 */
	void (*suspend)(struct backend_group *group);
	void (*close)(struct backend_group *group);
	/*
	 * Called after an interval has been reported. If the backend has added data to the
	 * measurement, marks the end of the interval in this data. NULL: not needed.
	 */
	void (*mark)(struct backend_group *group);
	/*
	 * Called after the last close. Frees the backend's data to which the measurement points.
	 * NULL: not needed.
	 */
	void (*free)(struct backend_group *group);
};

extern const struct counter_backend backend_fd; /* fd/: perf events that are read with read(2) */
extern const struct counter_backend
	backend_prog; /* prog/: counts inside BPF programs, between fentry and fexit */
extern const struct counter_backend
	backend_scope; /* scope/: counts in threads, between the points of a scope */
extern const struct counter_backend
	backend_bperf; /* bperf/: shared counters, which BPF reads at each context switch */
extern const struct counter_backend
	/* cgroup/: counts for many cgroups; BPF reads the counters at each context switch */
	backend_cgroup;
extern const struct counter_backend
	backend_profile; /* profile/: a BPF program runs at each sample */
/* user_time and system_time of CPUs and existing tasks, from procfs */
extern const struct counter_backend backend_cputime;
/* values that pstat measures or reads itself, such as wall time */
extern const struct counter_backend backend_tool;

/*
 * The counts of the runs of BPF programs (-b) or scopes (--scope). The session owns the tables, and
 * the backend fills them.
 */
struct run_counts {
	/*
	 * the numbers of runs, with the same columns as the counts of events; NULL: runs are not
	 * counted
	 */
	struct counts *counts;
	struct hist_rows *hist; /* NULL without --hist */
	struct outlier_sums *outliers;
};

struct backend_group {
	const struct counter_backend *ops;
	int nr;
	const struct evsel **evsels; /* the evlist owns the events; the group owns the array */
	struct counts **counts;	     /* parallel to `evsels` */
	/* owned by the session; the backend stores its results other than counts here */
	struct measurement *measurement;
	/*
	 * the address of the session's pointer to its gate (gate.h). With --start or --stop, the
	 * backend that attaches programs to the points sets the pointer in open, and resets it to
	 * NULL in close. Without these options, the pointer is NULL
	 */
	const struct gate **gate;
	/* owned by the session; NULL unless the backend counts runs */
	struct run_counts *runs;
	/* receives the runs that --outliers reports; valid from open to close */
	const struct session_sink *sink;
	/*
	 * the rows of the counts: all CPUs of the target, online or not; {-1} if there is a single
	 * row
	 */
	const struct cpumap *cpus;
	/* all online CPUs, even those that are not in `cpus`; NULL if no group needs them */
	const struct cpumap *online;
	/*
	 * the columns of the counts, owned by the session; NULL: the columns are `threads`, or
	 * there is a single column
	 */
	struct subjects *subjects;
	/*
	 * the counted threads, or NULL; with THREADS_APART and without `subjects`, each thread is a
	 * column of the counts
	 */
	const struct threadmap *threads;
	/*
	 * the group could not be opened, and the session continues without it (see
	 * stat_config.keeps_going)
	 */
	bool is_out;
	struct strbuf *why; /* functions store the reason for an error here */
	/*
	 * perf's text for the error in `why`; pstat prints this text before `why`, because scripts
	 * match it
	 */
	struct strbuf *perf_words;
	void *priv; /* private to the backend from open to close or suspend; otherwise NULL */
	/*
	 * private to the backend: data that is kept after suspend for the next open, or after close
	 * because the measurement points to this data
	 */
	void *kept;
};

/* Returns whether an option or a modifier asks for @evsel to be counted with BPF. */
bool backend__wants_bpf(const struct evsel *evsel, const struct stat_config *cfg);
/* Returns the backend that counts @evsel. */
const struct counter_backend *backend__for(const struct evsel *evsel,
					   const struct stat_config *cfg);

#endif
