/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backends do the counting. The unit of a backend is a group: all events that it counts in one
 * session, which are opened, enabled and read together. The order of calls is open, enable, read
 * any number of times, disable, close. After disable, enable may follow again; the totals continue.
 * Read is allowed at any time after open, and close at any time, also after an open that failed. A
 * closed group can be opened again.
 *
 * Each backend has a folder in util/count/, and backend-NAME.c describes the files in it. The tool
 * events have only the files backend-tool.c and backend-cputime.c.
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

/* When a backend has a row of counts for each CPU. Otherwise, it has a single row. */
enum backend_cpus {
	/* if CPUs are counted; the kernel does not split the counts of a task by CPU */
	CPUS_UNLESS_TASKS,
	CPUS_ALWAYS, /* even if tasks are counted */
	CPUS_NEVER,
};

/* What a backend does with the list of threads that are counted, if there are no subjects. */
enum backend_threads {
	THREADS_APART,	  /* each thread has a column of counts, even if it is not a subject */
	THREADS_TOGETHER, /* uses the list, and has a single column for all threads */
	THREADS_UNUSED,
};

/* Calls store the reason for an error in group->why (reason.h). */
struct counter_backend {
	const char *name;
	enum backend_cpus cpus;
	enum backend_threads threads;
	/*
	 * Has a column of counts for each subject (subjects.h). Otherwise, one column is for all
	 * subjects.
	 */
	bool by_subject;
	/* Needs to know the online CPUs, even if its counts have no rows for CPUs. */
	bool needs_online;
	/*
	 * Also counts runs of BPF programs or scopes (`run_cnt`). Such a backend is used even
	 * without events.
	 */
	bool counts_runs;
	/* Uses no BPF. If the user asked for BPF, -v reports the events that are counted here. */
	bool is_native;
	/* The kernel removes the backend's events from a task at some execs: see exec-loss.h. */
	bool loses_at_exec;
	/*
	 * Probes kernel support. Returns 0, or -errno with the reason in @why_not. NULL: all
	 * kernels support the backend.
	 */
	int (*probe)(struct strbuf *why_not);
	/*
	 * Opens the events without enabling them. If the machine cannot count an event, this is not
	 * an error: the event's counts are marked as unsupported. Returns -ESTALE if a BPF program
	 * that the user named does not exist.
	 */
	int (*open)(struct backend_group *group, const struct stat_config *cfg);
	/*
	 * Starts counting; the first call starts from zero. The command does not run until all
	 * groups are enabled.
	 */
	int (*enable)(struct backend_group *group);
	/* Called when the command @pid stops before its first instruction. NULL: not needed. */
	int (*at_exec)(struct backend_group *group, pid_t pid);
	/*
	 * Returns an fd that becomes readable when serve() has work to do. Both are NULL if there
	 * is never any work.
	 */
	int (*wake_fd)(const struct backend_group *group);
	int (*serve)(struct backend_group *group);
	/*
	 * Informs the backend that the set of online CPUs is now @online. group->online is still
	 * the previous set. The session may call this at any time between open and close, even
	 * while the group is disabled. The backend closes the events of CPUs that went offline,
	 * because they never count again, and keeps their counts in the totals. It opens events on
	 * CPUs that came online. If a CPU went offline and is online again, there are two calls:
	 * first without this CPU, then with it. NULL: not needed.
	 */
	int (*cpus_changed)(struct backend_group *group, const struct cpumap *online);
	/* Stores the totals in the counts of each event of the group. */
	int (*read)(struct backend_group *group);
	/*
	 * Updates the number of lost runs in the measurement. The backend also does this when it is
	 * closed. NULL: the backend counts no runs.
	 */
	int (*read_lost)(struct backend_group *group);
	/*
	 * Called periodically from open to close, even while the group is disabled, if
	 * needs_tending() returns true. Both NULL: not needed.
	 */
	bool (*needs_tending)(const struct stat_config *cfg);
	int (*tend)(struct backend_group *group);
	int (*disable)(struct backend_group *group);
	/*
	 * Like disable, but close follows immediately, so stop may omit what close does anyway.
	 * NULL: the session calls disable.
	 */
	int (*stop)(struct backend_group *group);
	/*
	 * Like close, but the group will be opened again with the same events. May store in
	 * group->kept what the next open needs; close frees group->kept too. NULL: the session
	 * calls close.
	 */
	void (*suspend)(struct backend_group *group);
	void (*close)(struct backend_group *group);
	/*
	 * Ends an interval in the data that the backend has added to the measurement. NULL: not
	 * needed.
	 */
	void (*mark)(struct backend_group *group);
	/* Called after the last close: frees what the measurement points to. NULL: not needed. */
	void (*free)(struct backend_group *group);
};

extern const struct counter_backend backend_fd; /* fd/: perf fds, read by read(2) */
extern const struct counter_backend
	backend_prog; /* prog/: inside BPF programs, between fentry and fexit */
extern const struct counter_backend
	backend_scope; /* scope/: threads, between two points of a program */
extern const struct counter_backend
	backend_bperf; /* bperf/: counters shared through BPF, read at each context switch */
extern const struct counter_backend
	backend_cgroup; /* cgroup/: cgroups, in BPF at each context switch */
extern const struct counter_backend
	backend_profile; /* profile/: a BPF program that runs at each sample */
/* user_time and system_time of CPUs and running tasks, from procfs */
extern const struct counter_backend backend_cputime;
extern const struct counter_backend backend_tool; /* measured by pstat itself, such as wall time */

/* The runs that -b and --scope count. The session owns them, and the backend stores the counts. */
struct run_counts {
	/* has as many columns as the counts of events; NULL: runs are not counted */
	struct counts *counts;
	struct hist_rows *hist; /* NULL without --hist */
	struct outlier_sums *outliers;
};

struct backend_group {
	const struct counter_backend *ops;
	int nr;
	const struct evsel **evsels; /* owned by the evlist; the array belongs to the group */
	struct counts **counts;	     /* parallel to evsels */
	/* owned by the session; backends add everything they collect except counts */
	struct measurement *measurement;
	/*
	 * owned by the session; with --start and --stop, the backend that counts stores its gate
	 * there from open to close
	 */
	const struct gate **gate;
	/* owned by the session; NULL unless the backend counts runs */
	struct run_counts *runs;
	const struct session_sink *sink; /* receives single runs; valid from open to close */
	const struct cpumap *
		/* rows of the counts: CPUs that may be counted, online or not; {-1} for tasks */
		cpus;
	const struct cpumap *online; /* all online CPUs, including those that are not in `cpus` */
	/* the columns of the counts, owned by the session; NULL: see `threads` */
	struct subjects *subjects;
	/*
	 * the counted threads; they are the columns if the backend has THREADS_APART; NULL: one
	 * column
	 */
	const struct threadmap *threads;
	/* with stat_config.keeps_going: the group could not be opened, and is not used */
	bool is_out;
	struct strbuf *why; /* where a call that fails stores the reason */
	struct strbuf *
		/*
		 * text that perf prints for this error, and that scripts match; printed before @why
		 */
		perf_words;
	void *priv; /* private to the backend; NULL before open and after close and suspend */
	/*
	 * private to the backend: data that stays after suspend for the next open, or after close
	 * for the measurement
	 */
	void *kept;
};

/* Returns whether the user wants BPF to count @evsel, by an option or a modifier. */
bool backend__wants_bpf(const struct evsel *evsel, const struct stat_config *cfg);
/* The backend for @evsel under @cfg. */
const struct counter_backend *backend__for(const struct evsel *evsel,
					   const struct stat_config *cfg);

#endif
