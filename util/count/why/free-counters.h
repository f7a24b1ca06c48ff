/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which counters of a PMU are free now, and who holds perf events. Nothing that runs loses a
 * counter: the events that try are flexible and the last of their CPU, so they only get counters
 * that no other event has at that moment.
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
	int all;  /* that one group may have; 0: none */
	int free; /* of these, not in use by events of the whole CPU */
	int err;  /* 0, or -errno: no event of the PMU could be opened on this CPU */
};

/*
 * Adds the name of the event to @event with which the counters of @pmu are tried: one that any
 * counter can count, if it is known. Returns 0; -ENOENT if no event of the PMU opens, so that it
 * has no counters to speak of; -EACCES, -EPERM, -EMFILE or -ENFILE if this user or process may not
 * open them; or -ENOMEM.
 */
int free_counters__event(struct pmu *pmu, const struct event_env *env, struct strbuf *event);

/*
 * Finds out how many counters are free on the CPU @cpu for the event @event. Moves the calling
 * thread to the CPU meanwhile.
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
	struct event_holder *list; /* by falling number of events */
	int nr_hidden;		   /* processes whose files this user may not see */
};

/* Lists all processes but pstat itself. Returns 0, or -errno if there is no list. */
int event_holders__find(struct event_holders *holders);
void event_holders__free(struct event_holders *holders);

#endif
