/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan says how the BPF program on_switch counts each event, and which cells of a row contain the
 * count and the times of the event. A row contains the counts of a cgroup on a CPU, and a cell is
 * one value in a row (bpf_skel/cgroup_counter.h). The program counts the following events without a
 * perf event:
 *
 *	task-clock, cpu-clock
 *	    The program adds up the time for which the cgroup's tasks run on the CPU.
 *	context-switches
 *	    The program adds 1 at each switch. The kernel calls the tracepoint sched_switch before
 *	    incrementing its own count of switches, so a perf event would count the switch for the
 *	    next task.
 *	cgroup-switches
 *	    The program adds 1 at each switch to a task of another cgroup. Here, too, a perf
 *	    event would count the switch for the next task.
 *
 * Software events, tracepoints, breakpoints and msr events are never multiplexed. Their enabled and
 * running times are the CPU time of the cgroup, so the program reads only their values: these
 * events are "plain". An event that can be multiplexed is "timed": the program also reads its
 * enabled and running times. Reading a timed event takes 50 % longer than reading a plain event.
 * All members of a perf group have the same times, so at most one member is timed, and the others
 * are plain. The members of a weak group (modifier W) are treated as single events, because the
 * group may have been broken up.
 */
#ifndef PSTAT_COUNT_CGROUP_PLAN_H
#define PSTAT_COUNT_CGROUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_info;
struct evsel;

struct cgroup_counter {
	bool has_fd; /* the event needs a perf event */
	/*
	 * the program reads the event with its times, and stores the times in the two cells after
	 * `cell`
	 */
	bool timed;
	/*
	 * index of the event among the timed events if `timed` is set, otherwise among the plain
	 * events; -1: the program reads no perf event for this event
	 */
	int read;
	uint32_t cell;	  /* the cell of the count */
	uint32_t enabled; /* the cell of the enabled time, in ns */
	uint32_t running; /* the cell of the running time, in ns */
};

struct cgroup_plan {
	int nr;
	struct cgroup_counter *counters; /* indexed by event */
	uint32_t nr_plain, nr_timed, nr_cells;
};

/*
 * @info describes a leader: BPF programs that several sessions can share. Returns whether the
 * description is valid: its version is CGROUP_INFO_VERSION, and the numbers and indexes of events
 * and cells in it are in bounds. After cgroup_plan__adopt() with a valid description, the cells of
 * each open event are less than the plan's nr_cells.
 */
bool cgroup_plan__is_sound(const struct cgroup_info *info);

/* Returns whether @evsel needs a perf event. */
bool cgroup_plan__needs_fd(const struct evsel *evsel);

/*
 * Makes a plan for @nr events. In this plan, the program does not read an event i for which
 * @is_open[i] is false. Returns NULL if there is not enough memory.
 */
struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open,
				     int nr);
/*
 * @info describes a leader that another session has loaded. Changes the plan so that it uses the
 * cells of this leader. @reads[i] says which cells event i of the plan uses: it is the `read` of
 * the same event in @info (an index among the timed events if event i is timed, otherwise among the
 * plain events), or -1 if the leader does not read the event. No event of the plan may be in a perf
 * group. Returns 0, or -ENODEV if the plan has an event that the leader does not read, or that it
 * reads without the times that the plan needs.
 */
int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info);
void cgroup_plan__free(struct cgroup_plan *plan);

#endif
