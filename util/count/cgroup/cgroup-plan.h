/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the BPF program counts each event, and which cells of a row contain its count and its times.
 * A row contains the counts of a cgroup on a CPU; a cell is one value in it
 * (bpf_skel/cgroup_counter.h). Some events need no perf event:
 *
 *	task-clock, cpu-clock
 *	    on a CPU, this is the time that passes
 *	context-switches
 *	    one at each switch. The tracepoint comes before the kernel increments its own count,
 *	    which would therefore belong to the next task
 *	cgroup-switches
 *	    the program counts them itself, for the same reason
 *
 * Software events, tracepoints, breakpoints and msr events always count. Their enabled and running
 * times are the CPU time of the cgroup. All members of a perf group have the same times, so the
 * program reads the times of one member. Only events that can be multiplexed are "timed": the
 * program reads them with their own times, which costs 50 % more.
 */
#ifndef PSTAT_COUNT_CGROUP_PLAN_H
#define PSTAT_COUNT_CGROUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_info;
struct evsel;

struct cgroup_counter {
	bool has_fd; /* the event needs a perf event */
	/* the program reads the event with its times, into the two cells after `cell` */
	bool timed;
	/* index among the timed or the other (plain) events; -1: the program does not read it */
	int read;
	uint32_t cell;	  /* the cell of the count */
	uint32_t enabled; /* the cells of the times, in ns */
	uint32_t running;
};

struct cgroup_plan {
	int nr;
	struct cgroup_counter *counters; /* indexed by event */
	uint32_t nr_plain, nr_timed, nr_cells;
};

/*
 * Returns whether the description of another session's leader is valid: its version is known, and
 * its numbers are in bounds. In a plan that adopts this description, all cell indexes are then less
 * than nr_cells.
 */
bool cgroup_plan__is_sound(const struct cgroup_info *info);

/* Returns whether @evsel needs a perf event. */
bool cgroup_plan__needs_fd(const struct evsel *evsel);

/*
 * Makes a plan for @nr events. Events for which @is_open is false are not read. Returns NULL if
 * there is not enough memory.
 */
struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open,
				     int nr);
/*
 * Changes the plan so that it uses the cells of another session's leader: event i is the event of
 * @info whose `read` is @reads[i]. No event may be in a perf group. Returns 0, or -ENODEV if the
 * leader reads an event in another way.
 */
int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info);
void cgroup_plan__free(struct cgroup_plan *plan);

#endif
