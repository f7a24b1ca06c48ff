/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the counters of a PMU that are free now, and the processes that hold perf events. No
 * running event loses its counter: the events that pstat tries are flexible and come last on their
 * CPU, so they only get counters that no other event has at that moment.
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
	int all;	  /* the number of counters that one group may use; 0: none */
	int free;	  /* the number of these that no event of the whole CPU uses */
	int err;	  /* 0, or -errno: no event of the PMU could be opened on this CPU */
	bool cannot_move; /* err is set because the thread may not run on this CPU */
};

/*
 * Adds the name of an event to @event with which the counters of @pmu can be tried: if possible,
 * one that any counter can count. Returns 0; -ENOENT if no event of the PMU can be opened; -EACCES,
 * -EPERM, -EMFILE or -ENFILE if this user or process may not open its events; or -ENOMEM.
 */
int free_counters__event(struct pmu *pmu, const struct event_env *env, struct strbuf *event);

/*
 * Finds out how many counters of the CPU @cpu are free for the event @event. Moves the calling
 * thread to this CPU until the call ends.
 */
int free_counters__on_cpu(const char *event, const struct event_env *env, int cpu,
			  struct free_counters *found);

/* A process that holds perf events. */
struct event_holder {
	pid_t pid;
	int nr; /* open fds of perf events */
};

/* A zeroed struct is empty. */
struct event_holders {
	int nr;
	struct event_holder *list; /* sorted by the number of events, in descending order */
	int nr_hidden;		   /* processes whose files this user may not see */
};

/* Lists all processes except pstat. Returns 0, or -errno if they cannot be listed. */
int event_holders__find(struct event_holders *holders);
void event_holders__free(struct event_holders *holders);

#endif
