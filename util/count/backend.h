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

/* When a backend has a row of counts for each CPU. Otherwise it has one row. */
enum backend_cpus {
	/* if CPUs are counted: the kernel does not split a task's counts by CPU */
	CPUS_UNLESS_TASKS,
	CPUS_ALWAYS, /* even if tasks are counted */
	CPUS_NEVER,
};

/* What a backend does with the list of threads that are counted, if there are no subjects. */
enum backend_threads {
	THREADS_APART,	  /* has a column of counts for each, also if they are not subjects */
	THREADS_TOGETHER, /* uses the list, and has one column for all of them */
	THREADS_UNUSED,
};

/* Calls store the reason of an error in group->why (reason.h). */
struct counter_backend {
	const char *name;
	enum backend_cpus cpus;
	enum backend_threads threads;
	/*
	 * Has a column of counts for each subject (subjects.h). Otherwise one column holds for all
	 * subjects.
	 */
	bool by_subject;
	/* Needs the online CPUs even if its counts have no row for each CPU. */
	bool needs_online;
	/*
	 * Also counts runs of BPF programs or scopes (`run_cnt`), and is used if there is no event
	 * for it.
	 */
	bool counts_runs;
	/* Uses no BPF. If the user asked for BPF, -v reports the events that are counted here. */
	bool is_native;
	/* The kernel removes the backend's events from a task at some execs: see exec-loss.h. */
	bool loses_at_exec;
	/*
	 * Probes kernel support. Returns -errno with the reason in @why_not if it lacks. NULL:
	 * every kernel has it.
	 */
	int (*probe)(struct strbuf *why_not);
	/*
	 * Opens the events without enabling them. An event that the machine cannot count is no
	 * error; its counts are marked unsupported. Returns -ESTALE if a BPF program that the user
	 * named does not exist.
	 */
	int (*open)(struct backend_group *group, const struct stat_config *cfg);
	/*
	 * Starts counting, the first time from zero. A command is held until all groups are
	 * enabled.
	 */
	int (*enable)(struct backend_group *group);
	/* Called when the command @pid stops before its first instruction. NULL: nothing to do. */
	int (*at_exec)(struct backend_group *group, pid_t pid);
	/*
	 * An fd that is readable if serve() has something to do while counting. Both NULL: there is
	 * never anything.
	 */
	int (*wake_fd)(const struct backend_group *group);
	int (*serve)(struct backend_group *group);
	/*
	 * Informs the backend that the set of online CPUs is now @online. Until this call, it was
	 * group->online. The session may call this at any time between open and close, even while
	 * the group is disabled. The backend closes the events of CPUs that went offline, because
	 * they never count again, and keeps their counts in the totals. It opens events on CPUs
	 * that came online. For a CPU that went offline and has already come back, there are two
	 * calls: one without this CPU and one with it. NULL: nothing to do.
	 */
	int (*cpus_changed)(struct backend_group *group, const struct cpumap *online);
	/* Fills the totals in the counts of every event of the group. */
	int (*read)(struct backend_group *group);
	/*
	 * Called periodically from open to close, even while disabled, if needs_tending() returns
	 * true. Both NULL: nothing to do.
	 */
	bool (*needs_tending)(const struct stat_config *cfg);
	int (*tend)(struct backend_group *group);
	int (*disable)(struct backend_group *group);
	/*
	 * Like disable, but only called right before close, so it may omit what close does anyway.
	 * NULL: use disable.
	 */
	int (*stop)(struct backend_group *group);
	/*
	 * Like close, if the group will be opened again with the same events. May store in
	 * group->kept what the next open needs; close closes this too. NULL: use close.
	 */
	void (*suspend)(struct backend_group *group);
	void (*close)(struct backend_group *group);
	/*
	 * Ends an interval in what the backend has added to the measurement. NULL: nothing to do.
	 */
	void (*mark)(struct backend_group *group);
	/* After the last close: frees what the measurement has pointed to. NULL: nothing to do. */
	void (*free)(struct backend_group *group);
};

extern const struct counter_backend backend_fd; /* fd/: perf fds, read by read(2) */
extern const struct counter_backend
	backend_prog; /* prog/: inside BPF programs, between fentry and fexit */
extern const struct counter_backend
	backend_scope; /* scope/: threads between two points of a program */
extern const struct counter_backend
	backend_bperf; /* bperf/: shared through BPF, read at each context switch */
extern const struct counter_backend
	backend_cgroup; /* cgroup/: by cgroup, in BPF at the context switch */
extern const struct counter_backend
	backend_profile; /* profile/: a BPF program runs at each sample */
/* user_time and system_time of CPUs and running tasks, from procfs */
extern const struct counter_backend backend_cputime;
extern const struct counter_backend backend_tool; /* measured by pstat itself, such as wall time */

/* Of -b and --scope, the runs. They belong to the session, and the backend fills them. */
struct run_counts {
	/* as many columns as the counts of events; NULL: runs are not counted */
	struct counts *counts;
	struct hist_rows *hist; /* NULL without --hist */
	struct outlier_sums *outliers;
};

struct backend_group {
	const struct counter_backend *ops;
	int nr;
	const struct evsel **evsels; /* owned by the evlist; the array belongs to the group */
	struct counts **counts;	     /* parallel to evsels */
	/* the session's: what a backend finds besides counts, it adds there */
	struct measurement *measurement;
	/*
	 * the session's; with --start and --stop, the backend that counts stores its gate there,
	 * from open to close
	 */
	const struct gate **gate;
	struct run_counts *runs;	 /* the session's; NULL unless the backend counts runs */
	const struct session_sink *sink; /* receives single runs; from open to close */
	const struct cpumap *
		/* rows of the counts: CPUs that may be counted, online or not; {-1} for tasks */
		cpus;
	const struct cpumap *online; /* all online CPUs, including those that are not in `cpus` */
	struct subjects *subjects;   /* columns of the counts, the session's; NULL: see threads */
	/*
	 * the threads that are counted, which are the columns if the backend counts them apart;
	 * NULL: one column
	 */
	const struct threadmap *threads;
	struct strbuf *why; /* where a call that fails stores the reason */
	struct strbuf *
		/* what perf prints in this case, which scripts match: printed before @why */
		perf_words;
	void *priv; /* private to the backend; NULL before open and after close and suspend */
	/*
	 * private to the backend: what stays after suspend for the next open, or after close for
	 * the measurement
	 */
	void *kept;
};

/* Does the user want BPF to count @evsel, by an option or a modifier? */
bool backend__wants_bpf(const struct evsel *evsel, const struct stat_config *cfg);
/* The backend for @evsel under @cfg. */
const struct counter_backend *backend__for(const struct evsel *evsel,
					   const struct stat_config *cfg);

#endif
