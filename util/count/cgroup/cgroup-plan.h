/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each event is counted by cgroup (see bpf_skel/cgroup_counter.h): the cell of a row that
 * contains its count, and the cells that contain its enabled and running times. Some events need no
 * counter at all:
 *
 *	task-clock, cpu-clock
 *	    on a CPU, this is the time that passes
 *	context-switches
 *	    one at each switch. The tracepoint comes before the kernel increments its own count,
 *	    which would therefore belong to the next task
 *	cgroup-switches
 *	    for the same reason
 *
 * Software events, tracepoints, breakpoints and the events of msr always count, so their times are
 * those of the cgroup. All members of an event group count at the same times as their leader. Only
 * an event that may have to share a hardware counter is read with its own times, which costs half
 * as much again.
 */
#ifndef PSTAT_COUNT_CGROUP_PLAN_H
#define PSTAT_COUNT_CGROUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_info;
struct evsel;

struct cgroup_counter {
	bool has_fd; /* a perf event is open for this event */
	/* the event is read with its times, which are in the two cells after `cell` */
	bool timed;
	int read;	  /* index among the plain or the timed events; -1: not read */
	uint32_t cell;	  /* the cell of its count */
	uint32_t enabled; /* the cells of its times, in ns */
	uint32_t running;
};

struct cgroup_plan {
	int nr;
	struct cgroup_counter *counters; /* indexed by event */
	uint32_t nr_plain, nr_timed, nr_cells;
};

/*
 * Checks the plan of another session: it must have this version, and each event must be one of
 * those that the session reads. The cells that are adopted from a valid plan are less than its
 * nr_cells.
 */
bool cgroup_plan__is_sound(const struct cgroup_info *info);

/* Returns whether @evsel needs a perf event. */
bool cgroup_plan__needs_fd(const struct evsel *evsel);

/*
 * Makes a plan for @nr events. Only events for which @is_open is true are counted. Returns NULL if
 * memory ran out.
 */
struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open,
				     int nr);
/*
 * Adopts events that another session's programs read: event i, which is not in a group, is the
 * event of @info whose `read` is @reads[i]. Returns 0, or -ENODEV if the programs read that event
 * in another way.
 */
int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info);
void cgroup_plan__free(struct cgroup_plan *plan);

#endif
