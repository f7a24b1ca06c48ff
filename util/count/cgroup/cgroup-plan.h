/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each event is counted by control group (see bpf_skel/cgroup_counter.h): which cell of a row
 * its count is in, and which the times for which it was enabled and counting. Some need no counter
 * at all:
 *
 *	task-clock, cpu-clock
 *	    on a CPU it is the time that goes by
 *	context-switches
 *	    one at each switch. The tracepoint comes before the kernel's own count, which would
 *	    be the next task's
 *	cgroup-switches
 *	    the same
 *
 * Of the others, those that always count (software, tracepoints, breakpoints, msr) were counting
 * for all the time that the group ran; so were, of a group of events, all for the time of their
 * leader. Only what may have to share a hardware counter is read with its times, which costs half
 * as much again.
 */
#ifndef PSTAT_COUNT_CGROUP_PLAN_H
#define PSTAT_COUNT_CGROUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_info;
struct evsel;

struct cgroup_counter {
	bool has_fd;	  /* perf events are open for this event */
	bool timed;	  /* read with its times, which are in the two cells after `cell` */
	int read;	  /* index among the plain or the timed events; -1: not read */
	uint32_t cell;	  /* cell of the count */
	uint32_t enabled; /* cells of its times, in ns */
	uint32_t running;
};

struct cgroup_plan {
	int nr;
	struct cgroup_counter *counters; /* by event */
	uint32_t nr_plain, nr_timed, nr_cells;
};

/*
 * Checks a plan that another session states: it has this version, and each event is one of those
 * that it reads. The cells that a plan adopts from it are then below its nr_cells.
 */
bool cgroup_plan__is_sound(const struct cgroup_info *info);

/* Returns whether a perf event must be opened for @evsel. */
bool cgroup_plan__needs_fd(const struct evsel *evsel);

/*
 * Makes a plan for @nr events, and counts those for which @is_open is true. Returns NULL if there
 * is no memory.
 */
struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open,
				     int nr);
/*
 * Adopts events that another session's programs read: event i, which is in no group, is the event
 * of @info whose `read` is @reads[i]. Returns 0, or -ENODEV if that event is read in another way.
 */
int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info);
void cgroup_plan__free(struct cgroup_plan *plan);

#endif
