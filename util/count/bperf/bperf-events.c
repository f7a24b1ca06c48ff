// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/share/held-events.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Returns how the BPF program (a leader, or a follower without a leader) reads @evsel if the event
 * is not in a perf group.
 */
static enum bperf_how how_alone(const struct evsel *evsel)
{
	if (evsel__is_clock(evsel))
		return BPERF_CLOCK;
	if (evsel__counts_switches(evsel))
		return BPERF_SWITCHES;
	return evsel__always_counts(evsel) ? BPERF_VALUE : BPERF_TIMES;
}

enum bperf_how bperf_events__how_of_other(const struct evsel *evsel)
{
	return evsel__counts_switches(evsel) ? BPERF_SWITCHES : BPERF_TIMES;
}

/*
 * A row is an event's index in the BPF program. In each perf group, the program reads the enabled
 * and running times of only one event. Returns the row of the event whose times the program reads
 * for the perf group of @event, or -1 if none has been chosen yet.
 */
static int row_of_times(const struct bperf_events *events, int event)
{
	int leader = event_fds__leader(events->fds, event);

	for (int row = 0; row < events->nr; row++)
		if (events->plan[row].how == BPERF_TIMES &&
		    event_fds__leader(events->fds, events->events[row]) == leader)
			return row;
	return -1;
}

/*
 * Returns whether @event was opened in a perf group. Returns false for an event that pstat took out
 * of a weak group and opened separately, but true for the leader of such a group.
 */
static bool is_in_group(const struct bperf_events *events, int event)
{
	const struct evsel *evsel = events->group->evsels[event];

	return event_fds__leader(events->fds, event) != event || evsel->nr_members > 1;
}

/*
 * Returns how the BPF program reads @event. All members of a perf group count during the same
 * periods, so the program reads the enabled and running times of only one member.
 */
static struct bperf_plan make_plan(const struct bperf_events *events, int event)
{
	struct bperf_plan plan = { .how = (__u8)how_alone(events->group->evsels[event]) };
	int times;

	if (plan.how < BPERF_VALUE || !is_in_group(events, event))
		return plan;
	times = row_of_times(events, event);
	plan.how = times < 0 ? BPERF_TIMES : BPERF_SIBLING;
	plan.times_of = times < 0 ? 0 : (__u8)times;
	return plan;
}

/*
 * Returns whether @event will be shared with other sessions through @map. An event is not shared if
 * it is in a perf group, if pstat had to open it for user space only, if a key of @map cannot
 * describe it completely, or if BPERF_MAX_SHARED other events are shared already.
 */
static bool is_shared(const struct bperf_events *events, const struct pinned_map *map, int event)
{
	return map && events->nr < BPERF_MAX_SHARED && !is_in_group(events, event) &&
	       !(events->group->counts[event]->left_out & LEFT_OUT_KERNEL) &&
	       attr_map__takes(map, events->group->evsels[event]);
}

static int add_row(struct bperf_events *events, int event)
{
	if (events->nr == BPERF_MAX_EVENTS)
		return reason__set(
			events->group->why, -E2BIG,
			"%s: more events than BPF can count at once (%d)\nleave some out",
			events->group->evsels[event]->name, BPERF_MAX_EVENTS);
	events->plan[events->nr] = make_plan(events, event);
	events->events[events->nr++] = event;
	return 0;
}

/* Assigns the first rows to events that can be shared, and the next rows to the other events. */
static int number_rows(struct bperf_events *events, const struct pinned_map *map)
{
	int nr = events->group->nr;
	bool *has_row = calloc((size_t)nr + 1, sizeof(bool));
	int err = has_row ? 0 : -ENOMEM;

	for (int event = 0; !err && event < nr; event++) {
		has_row[event] = events->group->counts[event]->open_err;
		if (has_row[event] || !is_shared(events, map, event))
			continue;
		has_row[event] = true;
		err = add_row(events, event);
	}
	events->nr_shared = events->nr;
	for (int event = 0; !err && event < nr; event++)
		if (!has_row[event])
			err = add_row(events, event);
	free(has_row);
	return err;
}

int bperf_events__open(struct bperf_events *events, struct backend_group *group,
		       const struct pinned_map *map)
{
	/*
	 * open all events disabled: if the leader of a perf group were already counting, a sibling
	 * opened later would start only when the kernel scheduled the group again
	 */
	struct event_open_how how = { .disabled = true };
	int err;

	*events = (struct bperf_events){ .group = group };
	err = event_fds__open(group, &how, &events->fds);
	return err ?: number_rows(events, map);
}

void bperf_events__close(struct bperf_events *events)
{
	event_fds__close(events->fds);
	events->fds = NULL;
}

int bperf_events__hand_over(struct bperf_events *events, int map_fd, int nr_cpus)
{
	const struct backend_group *group = events->group;
	int err = 0;

	for (int row = 0; row < events->nr; row++) {
		int event = events->events[row];

		/*
		 * if the BPF program itself counts the event, a perf event is needed only if the
		 * event is a member of a perf group
		 */
		if (events->plan[row].how < BPERF_VALUE && !is_in_group(events, event))
			continue;
		for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
			err = bpf_util__put_event(map_fd, row, nr_cpus, group->cpus->ids[cpu],
						  event_fds__get(events->fds, event, cpu, 0),
						  group->evsels[event]->name, group->why);
	}
	return err ?: event_fds__enable(events->fds);
}

void bperf_events__hold(const struct bperf_events *events, struct held_events *held)
{
	for (int row = 0; row < events->nr; row++)
		for (int cpu = 0;
		     events->plan[row].how >= BPERF_SIBLING && cpu < events->group->cpus->nr; cpu++)
			held_events__add(held,
					 event_fds__get(events->fds, events->events[row], cpu, 0));
}
