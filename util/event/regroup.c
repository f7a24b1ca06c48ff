// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the groups of a list of events into groups that the kernel accepts, and sorts the events
 * by group:
 *
 *	as written			as opened
 *	──────────────────────────────────────────────────────────────────────
 *	{cycles,imc/clockticks/,cs}	{cycles,cs} {imc/clockticks/}
 *	cs,topdown-retiring,slots	cs {slots,topdown-retiring}
 *	{topdown-retiring,cycles,slots}	{slots,topdown-retiring,cycles}
 *
 * A group cannot span PMUs. Software events can be in any group, and stay with the first hardware
 * event of their group. Intel's topdown metrics (since Ice Lake) are fields of one register. The
 * kernel (intel_pmu_hw_config() in arch/x86/events/intel/core.c) opens topdown metrics only in a
 * group whose leader is the event `slots`. In this file, `slots` and the topdown metrics are called
 * topdown events. pstat puts all topdown events that are not in a group into one group, at the
 * position of the first such event. In each group, pstat moves `slots` to the front, followed by
 * the other topdown events.
 *
 * As in perf 6.12, topdown events are recognized by their names and not by their codes. Therefore,
 * pstat does not recognize a topdown event that the user gave as a code (rNNN) or renamed (name=).
 * If another event has "slots" or "topdown" in its name (for example, a software event with name=),
 * the sort compares it with the topdown events of its group as if it were one of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

struct member {
	struct evsel *evsel;
	const struct evsel *old_leader; /* the leader in the user's list */
	bool grouped;			/* the user put the event into a group with other events */
	/*
	 * name of the event's PMU; for a software event in a group with hardware events, the PMU of
	 * the first hardware event; "" if the event is neither grouped nor a topdown event
	 */
	const char *pmu;
	bool software;
	bool topdown; /* a topdown event (see above) of a PMU that has `slots` */
	bool slots_in_name, topdown_in_name;
	/* sort key: the first event of this event's group, as an index in the user's list */
	int place;
	int order; /* index of the event in the user's list */
};

struct members {
	struct member *all;
	int nr;
	bool has_topdown; /* the user's list has topdown events outside groups */
};

/* ---- events ---- */

/*
 * Returns the PMU that counts the event. If the event has no PMU name, and its type is generic, raw
 * or unknown, returns the first core PMU.
 */
static struct pmu *pmu_of(struct pmus *pmus, const struct evsel *evsel)
{
	uint32_t type = evsel->attr.attr.type;
	struct pmu *pmu;

	if (evsel->pmu_name)
		pmu = pmus__find(pmus, evsel->pmu_name);
	else if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		pmu = NULL;
	else
		pmu = pmus__find_type(pmus, type);
	return pmu ?: pmus__get(pmus, 0);
}

/*
 * Returns the name of the software PMU with the type @type, or NULL. Every kernel has the software
 * PMUs, so this function does not read sysfs.
 */
static const char *software_pmu(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_SOFTWARE:
		return "software";
	case PERF_TYPE_TRACEPOINT:
		return "tracepoint";
	case PERF_TYPE_BREAKPOINT:
		return "breakpoint";
	}
	return NULL;
}

static void find_pmu(struct pmus *pmus, struct member *member)
{
	const char *software = software_pmu(member->evsel->attr.attr.type);
	struct pmu *pmu = software ? NULL : pmu_of(pmus, member->evsel);

	member->pmu = pmu ? pmu__name(pmu) : software;
	member->software = !pmu || pmu__is_software(pmu);
}

static bool has_slots_in_name(const struct evsel *evsel)
{
	return strcasestr(evsel->name, "slots") && !strcasestr(evsel->name, "uops_retired.slots");
}

/* Returns whether the event's PMU has the event `slots`, and therefore topdown metrics. */
static bool has_slots(struct pmus *pmus, const struct evsel *evsel)
{
	struct pmu *pmu = pmus__find(pmus, evsel->pmu_name ?: "cpu");
	struct pmu_alias alias;

	return pmu && !pmu__find_alias(pmu, "slots", &alias);
}

/* ---- the list ---- */

/*
 * Sets `place` of all events. The topdown events that are not in a group all get the place of the
 * first such event.
 */
static void set_places(struct members *members, int first)
{
	int place = -1;

	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];

		member->place = member->grouped ? member->old_leader->idx - first : i;
		if (member->grouped || !member->topdown)
			continue;
		place = place < 0 ? i : place;
		member->place = place;
		members->has_topdown = true;
	}
}

/*
 * Gives software events the PMU of the first hardware event in their group, so that they do not
 * split the group. As in perf, a group that contains only software events is split by PMU
 * (software, tracepoint, breakpoint, msr), although the kernel could count it unchanged.
 */
static void place_software(struct members *members)
{
	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];
		int at = member->place;

		if (!member->software)
			continue;
		while (at < members->nr &&
		       (members->all[at].software || members->all[at].place != member->place))
			at++;
		if (at < members->nr)
			member->pmu = members->all[at].pmu;
	}
}

static void describe(struct members *members, struct pmus *pmus, struct evsel *const *evsels)
{
	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];
		struct evsel *evsel = evsels[i];

		*member = (struct member){
			.evsel = evsel, .old_leader = evsel->leader, .pmu = "", .order = i
		};
		member->grouped = evsel__is_grouped(evsel);
		member->topdown = resolver__may_be_topdown(evsel) && has_slots(pmus, evsel);
		member->slots_in_name = has_slots_in_name(evsel);
		member->topdown_in_name = strcasestr(evsel->name, "topdown");
		if (member->grouped || member->topdown)
			find_pmu(pmus, member);
		evsel->keeps_group = member->topdown;
	}
	set_places(members, evsels[0]->idx);
	place_software(members);
}

/*
 * Compares two events by name: `slots` comes before the other topdown events, and topdown events
 * come before all other events. Returns 0 if the names do not determine the order.
 */
static int compare_names(const struct member *left, const struct member *right)
{
	if (!left->topdown && !right->topdown)
		return 0;
	if (left->slots_in_name || right->slots_in_name)
		return (int)right->slots_in_name - (int)left->slots_in_name;
	return (int)right->topdown_in_name - (int)left->topdown_in_name;
}

static int compare(const void *a, const void *b)
{
	const struct member *left = a, *right = b;
	int order = left->place - right->place;

	if (!order && left->grouped && right->grouped)
		order = strcmp(left->pmu, right->pmu);
	order = order ?: compare_names(left, right);
	/*
	 * as in perf, events with the modifier R (retirement latency) come last, so that they do
	 * not lead the group
	 */
	order = order ?: (int)left->evsel->retire_lat - (int)right->evsel->retire_lat;
	return order ?: left->order - right->order;
}

static bool same_group(const struct members *all, const struct member *a, const struct member *b)
{
	bool topdown = all->has_topdown && a->topdown && b->topdown;

	return (topdown || a->old_leader == b->old_leader) && !strcmp(a->pmu, b->pmu);
}

/*
 * Puts the event into the group of @leader. As in perf, the event keeps its modifiers D (pinned)
 * and e (exclusive). The kernel refuses an event with either modifier unless it is the leader.
 */
static void set_leader(const struct member *member, struct evsel *leader)
{
	struct evsel *evsel = member->evsel;

	evsel->leader = leader;
	evsel->nr_members = 0;
	leader->nr_members++;
}

/*
 * Stores the events in @evlist, in the order of @members, and sets their leaders. Returns whether
 * an event was moved or the number of groups changed.
 */
static bool apply(const struct members *members, struct evlist *evlist, int first)
{
	const struct member *leader = NULL;
	int nr_before = 0, nr_after = 0;
	bool moved = false;

	for (int i = 0; i < members->nr; i++) {
		const struct member *member = &members->all[i];

		moved |= member->order != i;
		nr_before += member->old_leader == member->evsel;
		evlist->entries[first + i] = member->evsel;
		member->evsel->idx = first + i;
		if (!leader || !same_group(members, member, leader)) {
			leader = member;
			nr_after++;
		}
		set_leader(member, leader->evsel);
	}
	return moved || nr_before != nr_after;
}

int regroup__events(struct resolver *r, int first)
{
	struct members members = { .nr = r->evlist->nr - first };
	struct pmus *pmus;

	pmus = resolver__pmus(r);
	members.all = calloc((size_t)members.nr, sizeof(*members.all));
	if (!members.all || !pmus) {
		free(members.all);
		return -ENOMEM;
	}
	describe(&members, pmus, &r->evlist->entries[first]);
	qsort(members.all, (size_t)members.nr, sizeof(*members.all), compare);
	/* like perf, do not warn if a PMU was given as a pattern or without its number */
	if (apply(&members, r->evlist, first) && !r->wildcard && !r->env->quiet_regroup)
		log__plain("WARNING: events were regrouped to match PMUs\n");
	free(members.all);
	return 0;
}
