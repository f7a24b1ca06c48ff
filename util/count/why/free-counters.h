/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the number of free counters of a PMU, and the processes that hold perf events. To find the
 * free counters, pstat opens flexible (not pinned) events for its own task, or for a CPU if the PMU
 * is an uncore PMU. The kernel gives the flexible events of a task only counters that no other
 * event uses, so the events of pstat's task take no counter from a running event.
 */
#ifndef PSTAT_COUNT_FREE_COUNTERS_H
#define PSTAT_COUNT_FREE_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

struct cpumap;
struct event_env;
struct pmu;
struct strbuf;

/* The counters of a PMU on one CPU. */
struct free_counters {
	int all;	  /* the number of counters that a perf group can use */
	int free;	  /* the number of these counters that are free */
	int err;	  /* 0; or -errno if the counters could not be tested */
	bool cannot_move; /* the calling thread could not be moved to this CPU */
};

/*
 * Finds an event with which free_counters__on_cpu() can test the counters of @pmu, and stores its
 * name in @event. Prefers an event that any counter of the PMU can count. Returns 0; -ENOENT if no
 * event of the PMU can be opened; -EACCES or -EPERM if the user is not allowed to open the PMU's
 * events; -EMFILE or -ENFILE if a limit on open files is reached; or -ENOMEM.
 */
int free_counters__event(struct pmu *pmu, const struct event_env *env, struct strbuf *event);

/*
 * Finds out how many counters on CPU @cpu can count @event, and how many of these are free. The
 * calling thread runs on this CPU until the function returns. Returns 0 or -ENOMEM. Other errors
 * are in found->err.
 */
int free_counters__on_cpu(const char *event, const struct event_env *env, int cpu,
			  struct free_counters *found);

/* A process that holds perf events. */
struct event_holder {
	pid_t pid;
	int nr; /* the number of perf event fds that it has open */
};

/* A zeroed struct is empty. */
struct event_holders {
	int nr;
	struct event_holder *list; /* sorted by the number of events, in descending order */
	int nr_hidden;		   /* the number of processes whose fds the user cannot list */
};

/*
 * Lists all processes that hold perf events, except the calling process. Returns 0, or -errno if
 * the processes cannot be listed.
 */
int event_holders__find(struct event_holders *holders);
void event_holders__free(struct event_holders *holders);

#endif
