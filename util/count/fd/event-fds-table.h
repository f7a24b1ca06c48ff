/* SPDX-License-Identifier: GPL-2.0-only */
/* The struct behind event-fds.h. Private to event-fds*.c and cgroup-clock.c. */
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
	bool at_exec; /* the kernel will enable the events when the command is executed */
	/* the events are enabled */
	bool on;
	/* nr_threads is the number of columns: subjects (subjects.h) or threads */
	int nr_cpus, nr_threads;
	/*
	 * a part is the set of columns for which an event is opened as a unit: those of one cgroup,
	 * or all columns
	 */
	int nr_parts;
	/* [cpu]: the CPU was offline at the last check, so events are not opened there */
	bool *is_off;
	/*
	 * [event][cpu][thread]: the counts of fds that were closed because the CPU went offline;
	 * NULL until the online CPUs change
	 */
	struct reading *bases;
	/*
	 * for each event, the index of the leader of its perf group, or of the event itself; -1:
	 * the event is not opened
	 */
	int *leaders;
	int *fds; /* [event][cpu][thread]; -1: not open */
};

int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Returns the index of an event's fd in `fds` and of its reading in `bases`. */
size_t event_fds__place(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Returns the first column of a part. @part may be nr_parts. */
int event_fds__column(const struct event_fds *fds, int part);

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

/*
 * Makes a table without open fds, and raises the limit on open files. Returns 0 or -errno. On
 * failure, the caller closes *@fds unless it is NULL.
 */
int event_fds__new(struct backend_group *group, const struct event_open_how *how,
		   struct event_fds **fds);
/*
 * Returns whether the CPU is missing from @online. If @online is NULL, all CPUs are online. Returns
 * false if @cpu_idx is the row for tasks, which has no CPU.
 */
bool event_fds__is_offline(const struct event_fds *fds, int cpu_idx, const struct cpumap *online);
/* Closes all fds of @event in the columns of @part. */
void event_fds__close_part(struct event_fds *fds, int event, int part);
/*
 * Opens @event on one CPU in the columns of @part. Does nothing if the CPU is offline. Sets *@at to
 * the last place that was tried. Returns 0 or -errno. Stores a reason in @why only if the kernel
 * refused the event's filter.
 */
int event_fds__open_on_cpu(struct event_fds *fds, int event, int part, int cpu_idx,
			   union perf_attr *attr, struct event_place *at, struct strbuf *why);
/* Sets @attr for opening the event. */
void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr);

#endif
