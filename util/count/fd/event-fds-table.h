/* SPDX-License-Identifier: GPL-2.0-only */
/* The private table of event-fds.h. event-fds-open.c fills it, and event-fds.c counts with it. */
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
	bool at_exec; /* the kernel will enable the events at the exec of the held command */
	/*
	 * the events are enabled, so events that are opened later must be enabled too
	 */
	bool on;
	int nr_cpus, nr_threads; /* columns: subjects, or threads */
	/*
	 * each cgroup is a part, for which an event may be open or not; all threads together are
	 * one part
	 */
	int nr_parts;
	/* [cpu]: no event is open there, because the CPU was offline at the last check */
	bool *is_off;
	/*
	 * [event][cpu][thread]: counts of fds that were closed because their CPU went offline;
	 * NULL: no CPU went offline
	 */
	struct reading *bases;
	/*
	 * [event]: the leader of its perf group, which may be the event itself; -1: the event has
	 * no perf fd
	 */
	int *leaders;
	int *fds; /* [event][cpu][thread]; -1: not open */
};

int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread);

/* Returns the index of an event's fd, and of its base, in the arrays. */
size_t event_fds__place(const struct event_fds *fds, int event, int cpu_idx, int thread);

/*
 * Returns the first column of a part. For the part after the last one, returns the number of
 * columns.
 */
int event_fds__column(const struct event_fds *fds, int part);

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

/*
 * Makes a table in which no fd is open, and raises the limit on open files for it. On failure,
 * *@fds is NULL or must be closed.
 */
int event_fds__new(struct backend_group *group, const struct event_open_how *how,
		   struct event_fds **fds);
/*
 * Is the CPU missing from @online? NULL means that all CPUs are online. For the row of tasks,
 * returns false.
 */
bool event_fds__is_offline(const struct event_fds *fds, int cpu_idx, const struct cpumap *online);
/* Closes all fds of @event in the columns of @part. */
void event_fds__close_part(struct event_fds *fds, int event, int part);
/*
 * Opens @event on one CPU in the columns of @part. Returns 0 or -errno. The reason is in @why if
 * the kernel refused the filter of the open event; other errors have no reason. Sets *@at to the
 * last place that was tried. Does not open anything on an offline CPU: see is_off.
 */
int event_fds__open_on_cpu(struct event_fds *fds, int event, int part, int cpu_idx,
			   union perf_attr *attr, struct event_place *at, struct strbuf *why);
/* Sets @attr for opening the event: the attr of the evsel, with the flags of this count. */
void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr);

#endif
