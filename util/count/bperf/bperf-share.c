// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-share.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/trusted-path.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/bperf/bperf-rest.h"
#include "util/count/bperf/bperf-unit.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/share/shared-link.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* ---- probing the kernel ---- */

int bperf_share__probe(struct strbuf *why_not)
{
	if (!bpf_util__may_use_ids())
		return reason__set(why_not, -EPERM,
				   "this user may not open BPF objects by their ids (CAP_SYS_ADMIN "
				   "is needed)");
	return bpf_util__probe_lockdown(why_not) ? -EOPNOTSUPP : 0;
}

/* ---- leaders ---- */

/*
 * Returns a unit that uses the leader of link @link_id and has room for another event, or NULL.
 * Several units can have the same leader, because a unit has room for only BPERF_MAX_EVENTS events,
 * but the user may name the same event more often than that.
 */
static struct bperf_unit *find_unit(struct bperf_group *priv, uint32_t link_id)
{
	for (int i = 0; i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i];

		if (unit->shared && unit->leader.link_id == link_id && unit->nr < BPERF_MAX_EVENTS)
			return unit;
	}
	return NULL;
}

/*
 * Joins the leader of @entry: opens it for this session. Fails if there is an online CPU on which
 * the leader does not count the event even after a repair (bperf_repair__leader()).
 */
static int find_leader(const struct backend_group *group, int event,
		       const struct attr_map_entry *entry, const struct attr_key *key,
		       struct bperf_leader *leader, int *row, struct strbuf *why)
{
	int err = bperf_leader__join(entry, key, leader, row, why);

	if (err)
		return err;
	err = bperf_repair__leader(group, leader, event, *row, why);
	if (err)
		bperf_leader__close(leader);
	return err;
}

/*
 * Joins the leader of @entry and adds the event to a unit of this leader. If the leader cannot be
 * used, leaves the event without a unit. Returns 0 or -ENOMEM.
 */
static int join(struct backend_group *group, int event, const struct attr_map_entry *entry,
		const struct attr_key *key)
{
	struct bperf_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	struct bperf_leader leader;
	struct bperf_unit *unit;
	int row, err = find_leader(group, event, entry, key, &leader, &row, &why);

	if (err) {
		if (why.len)
			log__print(err == TRUSTED_PATH_REFUSED ? LOG_WARNING : LOG_INFO,
				   "event %d: pstat makes another leader: %s",
				   group->evsels[event]->idx + 1, why.text);
		strbuf__free(&why);
		return err == -ENOMEM ? err : 0;
	}
	unit = find_unit(priv, leader.link_id);
	if (unit && unit->leader.of_pstat) {
		held_events__move(&unit->leader.held, &leader.held);
		bperf_leader__close(&leader);
	} else {
		unit = bperf_group__add_unit(priv);
		if (!unit) {
			bperf_leader__close(&leader);
			return -ENOMEM;
		}
		unit->shared = true;
		unit->leader = leader;
	}
	bperf_group__add_event(priv, unit, event, row);
	counts__set_sharing(group->counts[event], SHARING_JOINED, NULL);
	pr_info("%s: counted by the leader of link %u, which %s made", group->evsels[event]->name,
		leader.link_id, leader.of_pstat ? "pstat" : "another tool");
	return 0;
}

static int join_leaders(struct backend_group *group, const struct pinned_map *map)
{
	struct bperf_group *priv = group->priv;
	struct attr_map_entry entry;
	struct attr_key key;
	int err = 0;

	for (int event = 0; !err && event < group->nr; event++) {
		const struct evsel *evsel = group->evsels[event];

		if (priv->unit_of[event] < 0 && !group->counts[event]->open_err &&
		    !evsel__is_grouped(evsel) && attr_map__takes(map, evsel) &&
		    !attr_map__find(map, evsel, &entry, &key))
			err = join(group, event, &entry, &key);
	}
	return err;
}

static void publish(struct pinned_map *map, const struct bperf_rest *rest,
		    const struct bperf_leader *leader)
{
	for (int row = 0; row < rest->open.nr; row++) {
		int event = rest->open.events[row];
		const struct evsel *evsel = rest->group.evsels[event];
		struct attr_map_entry entry = bperf_leader__entry(leader, row);
		int err;

		if (row >= rest->open.nr_shared) {
			counts__set_sharing(rest->group.counts[event], SHARING_FAILED,
					    shared_link__why_not(evsel) ?:
						    "the map of shared counters cannot describe "
						    "the event");
			continue;
		}
		err = attr_map__publish(map, evsel, &entry);
		counts__set_sharing(rest->group.counts[event], err ? SHARING_FAILED : SHARING_MADE,
				    err == -E2BIG ? "the map of shared counters is full" :
				    err		  ? strerror(-err) :
						    NULL);
		if (err == -E2BIG)
			pr_warn_once("event %d: counted, but not shared, because the map of shared "
				     "counters is full\nif perf made the map, remove it when no "
				     "session uses it: pstat makes a larger one",
				     evsel->idx + 1);
		else if (err)
			pr_info("%s: counted, but not shared: %s", evsel->name, strerror(-err));
	}
}

static int start_leader(const struct bperf_group *priv, struct bperf_unit *unit,
			struct bperf_events *open)
{
	int err = bperf_leader__make(open, priv->nr_cpus, &unit->leader);

	err = err ?: bperf_leader__attach(&unit->leader, priv->why);
	if (err)
		return err;
	/*
	 * take a first reading on each CPU, because the leader needs an earlier reading to compute
	 * a difference
	 */
	err = bpf_util__flush_cpus(unit->leader.prog_fd, priv->online);
	return reason__set(priv->why, err, "cannot run the leader on every CPU: %s",
			   strerror(-err));
}

/*
 * Adds a unit with a new leader for the events of @rest. Adds an entry to @map for each of these
 * events that can be shared.
 */
static int add_leader(struct bperf_group *priv, struct pinned_map *map, struct bperf_rest *rest)
{
	struct bperf_unit *unit = bperf_group__add_unit(priv);
	int err;

	if (!unit)
		return -ENOMEM;
	unit->shared = true;
	err = start_leader(priv, unit, &rest->open);
	if (err)
		return err;
	for (int row = 0; row < rest->open.nr; row++) {
		int event = rest->numbers[rest->open.events[row]];

		if (event >= 0)
			bperf_group__add_event(priv, unit, event, row);
	}
	pr_info("made the leader of link %u for %d events", unit->leader.link_id, rest->open.nr);
	publish(map, rest, &unit->leader);
	return 0;
}

/* The leaders to which the kernel can attach no more followers. */
struct full_leaders {
	int nr;
	uint32_t link_ids[BPERF_MAX_EVENTS];
};

/*
 * Makes a new leader for all events without a leader. The new leader replaces the leaders in @full,
 * so it also reads the events that @map lists for these leaders.
 */
static int make_leader(struct backend_group *group, struct pinned_map *map,
		       const struct full_leaders *full)
{
	struct bperf_group *priv = group->priv;
	struct bperf_rest rest;
	int err = bperf_rest__pick(&rest, group, priv->online);

	for (int i = 0; !err && i < full->nr; i++)
		err = bperf_rest__adopt(&rest, map, full->link_ids[i]);
	err = err ?: bperf_rest__open(&rest, map);
	if (!err && rest.open.nr)
		err = add_leader(priv, map, &rest);
	bperf_rest__free(&rest);
	return err;
}

/* ---- followers ---- */

/*
 * Returns whether the unit needs a follower. If pstat made the leader, a session that counts whole
 * CPUs instead of tasks needs no follower, because it uses the leader's totals.
 */
static bool needs_follower(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	return priv->target.threads || !unit->leader.of_pstat;
}

static int follow(struct backend_group *group, struct bperf_unit *unit)
{
	const struct bperf_group *priv = group->priv;
	struct bperf_plan plan[BPERF_MAX_EVENTS];

	if (priv->follow)
		return priv->follow(group, unit);
	if (!needs_follower(priv, unit))
		return 0;
	for (int i = 0; i < unit->nr; i++) {
		plan[i].how =
			unit->leader.of_pstat ?
				unit->leader.info.plan[unit->rows[i]].how :
				(__u8)bperf_events__how_of_other(group->evsels[unit->events[i]]);
		plan[i].times_of = plan[i].unused = 0;
		plan[i].row = (__u8)unit->rows[i];
	}
	return bperf_follower__follow(&unit->leader, plan, unit->nr, &priv->target, &unit->follower,
				      priv->why);
}

/*
 * Closes the leader of @unit. Called if the kernel can attach no more followers to this leader.
 * Afterwards, the events of @unit belong to no unit.
 */
static void abandon(struct bperf_group *priv, struct bperf_unit *unit)
{
	pr_info("the leader of link %u has as many followers as the kernel allows: making another "
		"leader",
		unit->leader.link_id);
	for (int i = 0; i < unit->nr; i++)
		priv->unit_of[unit->events[i]] = -1;
	unit->nr = 0;
	unit->shared = false;
	bperf_leader__close(&unit->leader);
}

static int follow_all(struct backend_group *group, struct pinned_map *map)
{
	struct bperf_group *priv = group->priv;
	struct full_leaders full = { 0 };
	int err = 0, nr = priv->nr_units;

	for (int i = 0; !err && i < nr; i++) {
		err = follow(group, &priv->units[i]);
		if (err == -EUSERS) {
			if (full.nr < BPERF_MAX_EVENTS)
				full.link_ids[full.nr++] = priv->units[i].leader.link_id;
			abandon(priv, &priv->units[i]);
			err = 0;
		}
	}
	if (err || !full.nr)
		return err;
	err = make_leader(group, map, &full);
	for (int i = nr; !err && i < priv->nr_units; i++)
		err = follow(group, &priv->units[i]);
	if (err == -EUSERS)
		reason__set(priv->why, err, "no follower can be attached to a new leader: %s",
			    strerror(E2BIG));
	return err;
}

int bperf_share__open(struct backend_group *group, struct pinned_map *map)
{
	static const struct full_leaders none_full = { 0 };
	int err;

	pinned_map__lock(map);
	err = bperf_kept__use(group);
	err = err ?: join_leaders(group, map);
	err = err ?: make_leader(group, map, &none_full);
	err = err ?: follow_all(group, map);
	pinned_map__unlock(map);
	return err;
}
