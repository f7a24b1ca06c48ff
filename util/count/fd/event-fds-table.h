/* SPDX-License-Identifier: GPL-2.0-only */
/* The table behind event-fds.h: event-fds-open.c fills it, event-fds.c counts with it. */
#ifndef PSTAT_COUNT_EVENT_FDS_TABLE_H
#define PSTAT_COUNT_EVENT_FDS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"

struct backend_group;
struct cpumap;
struct event_place;
union perf_attr;

struct event_fds {
	struct backend_group *group;
	struct event_open_how how;
	bool at_exec; /* the kernel enables them at the exec of the held command, which is still to come */
	bool on;      /* enabled, or opened so: what is opened later has to be enabled */
	int nr_cpus, nr_threads;
	bool *is_off; /* [cpu]: nothing is open there, because the CPU was offline when it was looked at last */
	struct reading
		*bases; /* [event][cpu][thread]: counted by fds that were closed with their CPU; NULL: none was */
	int *leaders; /* [event]: the event whose fds its own are opened under, itself when alone; -1: no perf event */
	int *fds;     /* [event][cpu][thread], -1 where not open */
};

static inline int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return &fds->fds[((size_t)event * (size_t)fds->nr_cpus + (size_t)cpu_idx) * (size_t)fds->nr_threads +
			 (size_t)thread];
}

/* Place of the same in `bases`. */
static inline size_t event_fds__place(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return (size_t)(event_fds__slot(fds, event, cpu_idx, thread) - fds->fds);
}

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

/* Is the CPU not in @online? NULL: it is. False for the row of tasks. */
bool event_fds__is_offline(const struct event_fds *fds, int cpu_idx, const struct cpumap *online);
/* Closes what is open of @event. */
void event_fds__close_event(struct event_fds *fds, int event);
/*
 * Opens @event on one CPU. 0; a positive errno when the machine cannot count it; -errno when counting cannot begin, -EDOTDOT when the
 * reason was logged. @at is set to the place that was tried last. Nothing is opened on a CPU that is offline: see is_off.
 */
int event_fds__open_on_cpu(struct event_fds *fds, int event, int cpu_idx, union perf_attr *attr,
			   struct event_place *at);
/* The attr that the event is opened with: the evsel's, and how it is to be counted. */
void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr);

#endif
