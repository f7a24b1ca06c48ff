// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the groups of a list to groups that the kernel accepts, and sorts the events by group:
 *
 *	as written			as opened
 *	──────────────────────────────────────────────────────────────────────
 *	{cycles,imc/clockticks/,cs}	{cycles,cs} {imc/clockticks/}
 *	cs,topdown-retiring,slots	cs {slots,topdown-retiring}
 *	{topdown-retiring,cycles,slots}	{slots,topdown-retiring,cycles}
 *
 * A group cannot span PMUs. Software events can be in any group, and stay with the first hardware
 * event of their group. Intel's topdown metrics (since Ice Lake) are fields of one register. The
 * kernel opens them only in a group that `slots` leads (intel_pmu_hw_config() in
 * arch/x86/events/intel/core.c). So topdown events outside groups are put into one group, at the
 * place of the first of them. In each group, `slots` moves to the front, followed by the topdown
 * events.
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
#include "util/machine/pmu.h"
#include "util/machine/pmus.h"

/* The config of `slots` and of the first topdown metric. The other metrics have higher umasks. */
#define CONFIG_SLOTS 0x0400
#define CONFIG_TOPDOWN_FIRST 0x8000
#define CONFIG_EVENT_UMASK 0xffff

/* The order of events in a group that has topdown events. */
enum rank {
	RANK_SLOTS, /* leader */
	RANK_TOPDOWN,
	RANK_SLOTS_NAME, /* another event with `slots` in its name, which perf groups too */
	RANK_OTHER,
};

struct member {
	struct evsel *evsel;
	const struct evsel *old_leader; /* as written */
	bool grouped;			/* was written in a group of several events */
	const char *pmu;		/* PMU of its group; "" if no PMU has the event's type */
	bool software;
	enum rank rank; /* RANK_OTHER: need not be in a group */
	int place;	/* index of its group in the list */
	int order;	/* index in the list as written */
	/* modifiers of its group; pinned and exclusive: only in its first event */
	bool weak, pinned, exclusive;
};

struct members {
	struct member *all;
	int nr;
	bool has_topdown; /* there are topdown events outside groups */
};

/* ---- single events ---- */

static struct pmu *pmu_of_type(struct pmus *pmus, uint32_t type)
{
	struct pmu *pmu;

	for (int i = 0; (pmu = pmus__get(pmus, i)); i++)
		if (!pmu__load(pmu) && pmu__type(pmu) == type)
			return pmu;
	return NULL;
}

static void find_pmu(struct pmus *pmus, struct member *member)
{
	const struct evsel *evsel = member->evsel;
	uint32_t type = evsel->attr.attr.type;
	struct pmu *pmu;

	if (evsel->pmu_name)
		pmu = pmus__find(pmus, evsel->pmu_name);
	else if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		pmu = pmus__get(pmus, 0);
	else if (type < PERF_TYPE_MAX)
		pmu = NULL;
	else
		pmu = pmu_of_type(pmus, type);
	member->pmu = pmu ? pmu__name(pmu) : "";
	if (pmu)
		member->software = pmu__is_software(pmu);
	else
		member->software = type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
				   type == PERF_TYPE_BREAKPOINT;
}

static bool is_topdown_metric(const struct evsel *evsel)
{
	uint64_t code = evsel->attr.attr.config & CONFIG_EVENT_UMASK;

	return code >= CONFIG_TOPDOWN_FIRST && (code & 0xff) == 0;
}

/* Decides by code or name. Does not read the PMU, which keeps other events cheap. */
static enum rank rank_of(const struct evsel *evsel)
{
	if (evsel->attr.attr.type != PERF_TYPE_RAW || evsel->tool != TOOL_NONE)
		return RANK_OTHER;
	if (evsel->attr.attr.config == CONFIG_SLOTS)
		return RANK_SLOTS;
	if (is_topdown_metric(evsel))
		return RANK_TOPDOWN;
	if (strcasestr(evsel->name, "uops_retired.slots"))
		return RANK_OTHER;
	if (strcasestr(evsel->name, "slots"))
		return RANK_SLOTS_NAME;
	return strcasestr(evsel->name, "topdown") ? RANK_TOPDOWN : RANK_OTHER;
}

/* Returns whether the event's PMU has topdown metrics, and therefore the event `slots`. */
static bool has_slots(struct pmus *pmus, const struct evsel *evsel)
{
	struct pmu *pmu = pmus__find(pmus, evsel->pmu_name ?: "cpu");
	struct pmu_alias alias;

	return pmu && !pmu__find_alias(pmu, "slots", &alias);
}

/* ---- the list ---- */

static bool needs_work(const struct evlist *evlist, int first)
{
	for (int i = first; i < evlist->nr; i++)
		if (evsel__is_grouped(evlist->entries[i]) || rank_of(evlist->entries[i]) != RANK_OTHER)
			return true;
	return false;
}

/* Topdown events outside groups go to the place of the first of them. */
static void set_places(struct members *members, int first)
{
	int place = -1;

	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];

		member->place = member->grouped ? member->old_leader->idx - first : i;
		if (member->grouped || member->rank == RANK_OTHER)
			continue;
		place = place < 0 ? i : place;
		member->place = place;
		members->has_topdown = true;
	}
}

/* Software events go to the first other event of their group, so that they split nothing. */
static void place_software(struct members *members)
{
	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];
		int at = member->place;

		if (!member->software)
			continue;
		while (at < members->nr && (members->all[at].software || members->all[at].place != member->place))
			at++;
		member->pmu = at < members->nr ? members->all[at].pmu : "";
	}
}

static void describe(struct members *members, struct pmus *pmus, struct evsel *const *evsels)
{
	for (int i = 0; i < members->nr; i++) {
		struct member *member = &members->all[i];
		struct evsel *evsel = evsels[i];

		*member = (struct member){ .evsel = evsel,
					   .old_leader = evsel->leader,
					   .grouped = evsel__is_grouped(evsel),
					   .pmu = "",
					   .rank = rank_of(evsel),
					   .order = i,
					   .weak = evsel->leader->weak_group,
					   .pinned = evsel->attr.attr.pinned,
					   .exclusive = evsel->attr.attr.exclusive };
		if (member->rank != RANK_OTHER && !has_slots(pmus, evsel))
			member->rank = RANK_OTHER;
		if (member->grouped || member->rank != RANK_OTHER)
			find_pmu(pmus, member);
		evsel->keeps_group = member->rank == RANK_SLOTS ||
				     (member->rank == RANK_TOPDOWN && is_topdown_metric(evsel));
	}
	set_places(members, evsels[0]->idx);
	place_software(members);
}

static int compare(const void *a, const void *b)
{
	const struct member *left = a, *right = b;

	int order = left->place - right->place;

	order = order ?: strcmp(left->pmu, right->pmu);
	order = order ?: (int)left->rank - (int)right->rank;
	return order ?: left->order - right->order;
}

static bool same_group(const struct members *all, const struct member *a, const struct member *b)
{
	bool topdown = all->has_topdown && a->rank != RANK_OTHER && b->rank != RANK_OTHER;

	return (topdown || a->old_leader == b->old_leader) && !strcmp(a->pmu, b->pmu);
}

/*
 * Puts the event into the group of @leader, which carries the group's modifiers. As in perf, each
 * part of a split weak group is weak, but only the part with the group's first event is pinned or
 * exclusive.
 */
static void set_leader(const struct member *member, struct evsel *leader)
{
	struct evsel *evsel = member->evsel;

	evsel->leader = leader;
	evsel->nr_members = 0;
	leader->nr_members++;
	evsel->weak_group = false;
	evsel->attr.attr.pinned = 0;
	evsel->attr.attr.exclusive = 0;
	leader->weak_group |= member->weak;
	leader->attr.attr.pinned |= member->pinned;
	leader->attr.attr.exclusive |= member->exclusive;
}

/*
 * Stores the events in the order of @members. Returns whether an event moved or the number of
 * groups changed.
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

	if (!needs_work(r->evlist, first))
		return 0;
	pmus = resolver__pmus(r);
	members.all = calloc((size_t)members.nr, sizeof(*members.all));
	if (!members.all || !pmus) {
		free(members.all);
		return -ENOMEM;
	}
	describe(&members, pmus, &r->evlist->entries[first]);
	qsort(members.all, (size_t)members.nr, sizeof(*members.all), compare);
	/* perf prints this text unless a pattern for PMUs was expanded */
	if (apply(&members, r->evlist, first) && !r->wildcard && !r->env->quiet_regroup)
		log__plain("WARNING: events were regrouped to match PMUs\n");
	free(members.all);
	return 0;
}
