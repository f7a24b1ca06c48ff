/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each event is counted by control group (see bpf_skel/cgroup_counter.h): which cell of a row its count is in, and which the
 * times for which it was enabled and counting. Some need no counter at all:
 *
 *	task-clock, cpu-clock	on a CPU it is the time that goes by
 *	context-switches	one at each switch. The tracepoint comes before the kernel's own count, which would be the next task's
 *	cgroup-switches		the same
 *
 * Of the others, those that always count (software, tracepoints, breakpoints, msr) were counting for all the time that the group
 * ran; so were, of a group of events, all for the time of their leader. Only what may have to share a hardware counter is read with
 * its times, which costs half as much again.
 */
#ifndef PSTAT_COUNT_CGROUP_PLAN_H
#define PSTAT_COUNT_CGROUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_info;
struct evsel;

struct cgroup_counter {
	bool has_fd;	  /* perf events are open for it */
	bool timed;	  /* read with its times: `cell` and the two after it */
	int read;	  /* place among the plain or timed ones; -1 when it is not read */
	uint32_t cell;	  /* of the count */
	uint32_t enabled; /* cells of its times, in ns */
	uint32_t running;
};

struct cgroup_plan {
	int nr;
	struct cgroup_counter *counters; /* by event */
	uint32_t nr_plain, nr_timed, nr_cells;
};

/*
 * What another session says of itself: of this version, in bounds, and each event among those that it says it reads? Cells that a plan
 * adopts from it are below its nr_cells then.
 */
bool cgroup_plan__is_sound(const struct cgroup_info *info);

/* Is a perf event to be opened for @evsel? */
bool cgroup_plan__needs_fd(const struct evsel *evsel);

/*
 * For @nr events, of which those are counted that @is_open says. NULL without memory.
 */
struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open, int nr);
/*
 * The events are read by another's programs: event i, which stands alone, is the one of @info whose `read` is @reads[i]. 0, or -ENODEV
 * when that is read in another way.
 */
int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info);
void cgroup_plan__free(struct cgroup_plan *plan);

#endif
