/* SPDX-License-Identifier: GPL-2.0-only */
/* The definition of struct event_fds (event-fds.h). Private to event-fds*.c and cgroup-clock.c. */
#ifndef PSTAT_COUNT_EVENT_FDS_TABLE_H
#define PSTAT_COUNT_EVENT_FDS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"

struct backend_group;
struct cpumap;
struct event_place;
struct strbuf;
union perf_attr;

struct event_fds {
	struct backend_group *group;
	struct event_open_how how;
	bool at_exec; /* the kernel will enable the events at the exec of the command */
	/* the events are enabled; not set when the exec of the command enables them */
	bool on;
	/*
	 * `nr_cpus` is the number of entries of group->cpus. `nr_threads` is the number of columns
	 * of the counts: one for each subject (entry of group->subjects) or thread, or a single
	 * column if there are neither.
	 */
	int nr_cpus, nr_threads;
	/*
	 * The number of parts. With --for-each-cgroup, a part consists of the columns of one
	 * cgroup. Otherwise, all columns are one part. An event is either opened or refused for all
	 * columns of a part.
	 */
	int nr_parts;
	/*
	 * for each CPU, whether it was offline at the last check; events are not opened on offline
	 * CPUs
	 */
	bool *is_off;
	/*
	 * [event][cpu][thread]: the counts of fds that were closed because their CPU went offline;
	 * NULL until the set of online CPUs changes
	 */
	struct reading *bases;
	/*
	 * for each event, the index of the leader of its perf group; the event's own index if it is
	 * a leader or a single event; or -1 (see event_fds__leader())
	 */
	int *leaders;
	int *fds; /* [event][cpu][thread]; -1: not open */
};

int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Returns the index in @fds->fds and @fds->bases that belongs to an event, a CPU and a column. */
size_t event_fds__place(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Returns the first column of a part. If @part is nr_parts, returns nr_threads. */
int event_fds__column(const struct event_fds *fds, int part);

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

/*
 * Makes a table without open fds, and raises the limit on open files. Returns 0 or -errno. The
 * caller must pass *@fds to event_fds__close(), even on failure.
 */
int event_fds__new(struct backend_group *group, const struct event_open_how *how,
		   struct event_fds **fds);
/*
 * Returns whether CPU @cpu_idx is not in @online. Returns false if @online is NULL, or if the
 * counts have a single row instead of a row for each CPU.
 */
bool event_fds__is_offline(const struct event_fds *fds, int cpu_idx, const struct cpumap *online);
/* Closes all fds of @event in the columns of @part. */
void event_fds__close_part(struct event_fds *fds, int event, int part);
/*
 * Opens @event on one CPU, for all columns of @part. Does nothing if the CPU is offline, or if the
 * event's counts have no row for the CPU. If the kernel refuses the event because the CPU has just
 * gone offline, sets is_off for the CPU and returns 0. Sets *@at to the task, CPU and perf group of
 * the last attempt. Returns 0 or -errno. Stores the reason in @why only if the kernel refused the
 * event's filter.
 */
int event_fds__open_on_cpu(struct event_fds *fds, int event, int part, int cpu_idx,
			   union perf_attr *attr, struct event_place *at, struct strbuf *why);
/* Sets @attr to the perf_event_attr with which @event is opened. */
void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr);

#endif
