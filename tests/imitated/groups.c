// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determines which events can be in a group. It imitates perf_event_open() in kernel/events/core.c,
 * validate_group() in drivers/perf/arm_pmu.c, and validate_group() and collect_events() in
 * arch/x86/events/core.c. It does not imitate events that need one of several special counters.
 */
#include <errno.h>
#include <stddef.h>

#include "tests/imitated/kernel.h"

bool event__is_slots(const struct event *event, const struct pmu *pmu)
{
	return pmu->topdown && event->attr.type == pmu->type &&
	       (event->attr.config & 0xffff) == 0x400;
}

bool event__is_topdown(const struct event *event, const struct pmu *pmu)
{
	uint64_t code = event->attr.config & 0xffff;

	return pmu->topdown && event->attr.type == pmu->type && !(code & 0xff) && code >= 0x8000 &&
	       code < 0x8000 + ((uint64_t)pmu->topdown << 8);
}

static bool is_software(const struct event *event)
{
	return event->pmu->kind == KIND_SOFTWARE || event->pmu->kind == KIND_FREE;
}

static bool is_event_of(const struct event *event, const struct fixed_counter *fixed)
{
	if (event->attr.type == PERF_TYPE_HARDWARE)
		return (int)(event->attr.config & 0xffffffff) == fixed->hardware;
	return event->attr.type != PERF_TYPE_HW_CACHE && event->attr.config == fixed->config;
}

/*
 * Returns whether the driver of @pmu reserves a counter for @event, which is already in the group.
 * The drivers reserve no counter for a disabled event, but the drivers of Intel and AMD always
 * reserve one for the leader.
 */
static bool is_counted(const struct event *event, const struct event *leader, const struct pmu *pmu)
{
	if (event->pmu != pmu || event__is_topdown(event, pmu))
		return false;
	if (pmu->driver == DRIVER_ARM)
		return !event->attr.disabled || event->attr.enable_on_exec;
	return event == leader || !event->attr.disabled;
}

/*
 * Reserves a counter for @event: a bit in *@fixed, or one of the general counters, of which
 * *@others are in use. Returns false if no counter is free.
 */
static bool take_counter(const struct event *event, const struct pmu *pmu, unsigned int *fixed,
			 int *others)
{
	for (int i = 0; i < pmu->nr_fixed; i++) {
		if (!is_event_of(event, &pmu->fixed[i]))
			continue;
		if (!(*fixed & 1u << i)) {
			*fixed |= 1u << i;
			return true;
		}
		/* events whose code has no event number can be counted only by the fixed counter */
		if (!(pmu->fixed[i].config & 0xff))
			return false;
	}
	return (*others)++ < pmu->counters;
}

int group__fits(const struct event *event, const struct event *leader, const struct pmu *pmu)
{
	unsigned int fixed = 0;
	int others = 0;

	if (!leader || !pmu->counters)
		return 0;
	for (const struct event *e = leader; e; e = e->next) {
		if (pmu->driver == DRIVER_ARM && e->pmu != pmu && !is_software(e))
			return -EINVAL;
		if (is_counted(e, leader, pmu) && !take_counter(e, pmu, &fixed, &others))
			return -EINVAL;
	}
	if (event__is_topdown(event, pmu) || take_counter(event, pmu, &fixed, &others))
		return 0;
	return -EINVAL;
}

/* Returns the PMU whose events determine when the group runs. NULL: a group of software events. */
static const struct pmu *pmu_of_group(const struct event *leader)
{
	for (const struct event *e = leader; e; e = e->next)
		if (!is_software(e))
			return e->pmu;
	return NULL;
}

int group__join(const struct event *event, const struct event *leader)
{
	const struct pmu *pmu = pmu_of_group(leader);

	if (leader->leader != leader || leader->cpu != event->cpu || leader->pid != event->pid)
		return -EINVAL;
	if (event->attr.exclusive || event->attr.pinned)
		return -EINVAL;
	return is_software(event) || !pmu || pmu == event->pmu ? 0 : -EINVAL;
}
