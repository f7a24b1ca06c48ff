// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cgroup/cgroup-plan.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/cgroup_counter.h"
#include "util/event/evsel.h"

#ifndef PERF_COUNT_SW_CGROUP_SWITCHES
#define PERF_COUNT_SW_CGROUP_SWITCHES 11 /* since Linux 5.13 */
#endif

/*
 * Returns whether @evsel is `cgroup-switches` without the modifier u. With u, pstat opens a perf
 * event, as perf does; its count is always 0.
 */
static bool counts_cgroup_switches(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CGROUP_SWITCHES &&
	       !attr->exclude_kernel;
}

/*
 * Returns the cell (the index of the count in a row) of an event that needs no perf event, or
 * CGROUP_CELL_PLAIN if the event needs a perf event.
 */
static uint32_t cell_without_fd(const struct evsel *evsel)
{
	if (evsel__is_clock(evsel))
		return CGROUP_CELL_TIME;
	if (evsel__counts_switches(evsel))
		return CGROUP_CELL_SWITCHES;
	if (counts_cgroup_switches(evsel))
		return CGROUP_CELL_CROSSED;
	return CGROUP_CELL_PLAIN;
}

bool cgroup_plan__needs_fd(const struct evsel *evsel)
{
	return evsel->tool == TOOL_NONE && cell_without_fd(evsel) == CGROUP_CELL_PLAIN;
}

/*
 * Returns the first open event that needs a perf event among the members of @event's perf group.
 * The program reads the times of this event only; they apply to all members. Returns -1 if the
 * group cannot be multiplexed, or may have been broken up (weak_group).
 */
static int timekeeper(const struct evsel *const *evsels, const bool *is_open, int nr, int event)
{
	const struct evsel *leader = evsels[event]->leader;
	bool takes_turns = false;
	int first = -1;

	if (leader->weak_group)
		return -1;
	for (int i = 0; i < nr; i++) {
		if (evsels[i]->leader != leader || !is_open[i] || !cgroup_plan__needs_fd(evsels[i]))
			continue;
		first = first < 0 ? i : first;
		takes_turns |= !evsel__always_counts(evsels[i]);
	}
	return takes_turns ? first : -1;
}

static bool is_timed(const struct evsel *const *evsels, const bool *is_open, int nr, int event)
{
	int keeper = timekeeper(evsels, is_open, nr, event);

	return keeper < 0 ? !evsel__always_counts(evsels[event]) : keeper == event;
}

/* Assigns cells. The cells of all plain events come before the cells of the timed events. */
static void number_cells(struct cgroup_plan *plan)
{
	for (int i = 0; i < plan->nr; i++) {
		struct cgroup_counter *counter = &plan->counters[i];

		if (counter->read < 0)
			continue;
		counter->cell = CGROUP_CELL_PLAIN + (uint32_t)counter->read;
		if (!counter->timed)
			continue;
		counter->cell = CGROUP_CELL_PLAIN + plan->nr_plain + 3 * (uint32_t)counter->read;
		counter->enabled = counter->cell + 1;
		counter->running = counter->cell + 2;
	}
	plan->nr_cells = CGROUP_CELL_PLAIN + plan->nr_plain + 3 * plan->nr_timed;
}

static void give_cells(struct cgroup_plan *plan, const struct evsel *const *evsels,
		       const bool *is_open)
{
	for (int i = 0; i < plan->nr; i++) {
		struct cgroup_counter *counter = &plan->counters[i];

		*counter = (struct cgroup_counter){ .read = -1,
						    .enabled = CGROUP_CELL_TIME,
						    .running = CGROUP_CELL_TIME };
		counter->has_fd = cgroup_plan__needs_fd(evsels[i]);
		counter->cell = cell_without_fd(evsels[i]);
		if (!counter->has_fd || !is_open[i])
			continue;
		counter->timed = is_timed(evsels, is_open, plan->nr, i);
		counter->read = (int)(counter->timed ? plan->nr_timed++ : plan->nr_plain++);
	}
	number_cells(plan);
}

static void share_times(struct cgroup_plan *plan, const struct evsel *const *evsels,
			const bool *is_open)
{
	for (int i = 0; i < plan->nr; i++) {
		int keeper = plan->counters[i].read < 0 ? -1 :
							  timekeeper(evsels, is_open, plan->nr, i);

		if (keeper < 0)
			continue;
		plan->counters[i].enabled = plan->counters[keeper].enabled;
		plan->counters[i].running = plan->counters[keeper].running;
	}
}

struct cgroup_plan *cgroup_plan__new(const struct evsel *const *evsels, const bool *is_open, int nr)
{
	struct cgroup_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->nr = nr;
	plan->counters = calloc((size_t)nr + 1, sizeof(*plan->counters));
	if (!plan->counters) {
		free(plan);
		return NULL;
	}
	give_cells(plan, evsels, is_open);
	share_times(plan, evsels, is_open);
	return plan;
}

bool cgroup_plan__is_sound(const struct cgroup_info *info)
{
	if (info->version != CGROUP_INFO_VERSION || info->nr_events > CGROUP_INFO_MAX_EVENTS ||
	    info->nr_plain > CGROUP_MAX_PLAIN || info->nr_timed > CGROUP_MAX_TIMED ||
	    info->nr_cells != CGROUP_CELL_PLAIN + info->nr_plain + 3 * info->nr_timed)
		return false;
	for (uint32_t i = 0; i < info->nr_events; i++)
		if (info->events[i].read >=
		    (info->events[i].timed ? info->nr_timed : info->nr_plain))
			return false;
	return true;
}

static bool is_timed_there(const struct cgroup_info *info, int read)
{
	for (uint32_t i = 0; i < info->nr_events; i++)
		if (info->events[i].timed && (int)info->events[i].read == read)
			return true;
	return false;
}

int cgroup_plan__adopt(struct cgroup_plan *plan, const int *reads, const struct cgroup_info *info)
{
	for (int i = 0; i < plan->nr; i++) {
		struct cgroup_counter *counter = &plan->counters[i];

		if (counter->read < 0)
			continue;
		if (reads[i] < 0 || (counter->timed && !is_timed_there(info, reads[i])) ||
		    (uint32_t)reads[i] >= (counter->timed ? info->nr_timed : info->nr_plain))
			return -ENODEV;
		counter->read = reads[i];
	}
	plan->nr_plain = info->nr_plain;
	plan->nr_timed = info->nr_timed;
	number_cells(plan);
	return 0;
}

void cgroup_plan__free(struct cgroup_plan *plan)
{
	if (!plan)
		return;
	free(plan->counters);
	free(plan);
}
