/* SPDX-License-Identifier: GPL-2.0-only */
/* The table behind event-fds.h: event-fds-open.c fills it, event-fds.c counts with it. */
#ifndef PSTAT_COUNT_EVENT_FDS_TABLE_H
#define PSTAT_COUNT_EVENT_FDS_TABLE_H

#include <stddef.h>

#include "util/count/fd/event-fds.h"

struct backend_group;
union perf_attr;

struct event_fds {
	struct backend_group *group;
	struct event_open_how how;
	bool at_exec; /* the kernel enables them at the exec of the held command, which is still to come */
	int nr_cpus, nr_threads;
	int *leaders; /* [event]: the event whose fds its own are opened under, itself when alone; -1: no perf event */
	int *fds;     /* [event][cpu][thread], -1 where not open */
};

static inline int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return &fds->fds[((size_t)event * (size_t)fds->nr_cpus + (size_t)cpu_idx) * (size_t)fds->nr_threads +
			 (size_t)thread];
}

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

/* Closes what is open of @event. */
void event_fds__close_event(struct event_fds *fds, int event);
/* The attr that the event is opened with: the evsel's, and how it is to be counted. */
void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr);

#endif
