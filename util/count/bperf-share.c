// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf-share.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/attr-map.h"
#include "util/count/backend.h"
#include "util/count/bperf-events.h"
#include "util/count/bperf-unit.h"
#include "util/count/bpf-settle.h"
#include "util/count/counts.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"

/* ---- leaders ---- */

static bool is_grouped(const struct evsel *evsel)
{
	return evsel->leader->nr_members > 1;
}

/* The unit of that leader that has room for another event. An event may be named any number of times. */
static struct bperf_unit *find_unit(struct bperf_group *priv, uint32_t link_id)
{
	for (int i = 0; i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i];

		if (unit->shared && unit->leader.link_id == link_id && unit->nr < BPERF_MAX_EVENTS)
			return unit;
	}
	return NULL;
}

/* -ENODEV and the reason when CPUs have come online since the leader was made: the event is not open there. */
static int check_cpus(const struct bperf_group *priv, const struct evsel *evsel, const struct bperf_leader *leader,
		      int row, struct strbuf *why)
{
	struct cpumap *cpus;
	int cpu, err;

	if (!leader->of_pstat)
		return 0;
	cpus = evsel->pmu_cpus ? cpumap__intersect(priv->online, evsel->pmu_cpus) : cpumap__copy(priv->online);
	err = cpus ? bperf_leader__missed_cpu(leader, row, cpus, priv->possible, &cpu) : -ENOMEM;
	cpumap__free(cpus);
	if (err || cpu < 0)
		return err;
	strbuf__addf(why, "the leader of link %u does not count on CPU %d, which has come online since",
		     leader->link_id, cpu);
	return -ENODEV;
}

static int find_leader(const struct bperf_group *priv, const struct evsel *evsel, const struct attr_map_entry *entry,
		       struct bperf_leader *leader, int *row, struct strbuf *why)
{
	int err = bperf_leader__join(entry, leader, row, why);

	if (err)
		return err;
	err = check_cpus(priv, evsel, leader, *row, why);
	if (err)
		bperf_leader__close(leader);
	return err;
}

/* The event is counted on the leader that the map names, if that is one. */
static int join(struct backend_group *group, int event, const struct attr_map_entry *entry)
{
	struct bperf_group *priv = group->priv;
	struct strbuf why = STRBUF_INIT;
	struct bperf_leader leader;
	struct bperf_unit *unit;
	int row, err = find_leader(priv, group->evsels[event], entry, &leader, &row, &why);

	if (err) {
		if (why.len)
			pr_info("%s: %s: making another", group->evsels[event]->name, why.text);
		strbuf__free(&why);
		return err == -ENOMEM ? err : 0;
	}
	unit = find_unit(priv, leader.link_id);
	if (unit && unit->leader.of_pstat) {
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
	pr_info("%s: counted by the leader of link %u, which %s made", group->evsels[event]->name, leader.link_id,
		leader.of_pstat ? "pstat" : "another tool");
	return 0;
}

static int join_leaders(struct backend_group *group, const struct attr_map *map)
{
	struct bperf_group *priv = group->priv;
	struct attr_map_entry entry;
	int err = 0;

	for (int event = 0; !err && event < group->nr; event++) {
		const struct evsel *evsel = group->evsels[event];

		if (priv->unit_of[event] < 0 && !group->counts[event]->open_err && !is_grouped(evsel) &&
		    attr_map__takes(map, evsel) && !attr_map__find(map, evsel, &entry))
			err = join(group, event, &entry);
	}
	return err;
}

/* The events of a unit in the order of the leader's rows: the first @nr of them. */
static void publish(struct backend_group *group, struct attr_map *map, const struct bperf_unit *unit, int nr)
{
	for (int i = 0; i < nr; i++) {
		const struct evsel *evsel = group->evsels[unit->events[i]];
		struct attr_map_entry entry = bperf_leader__entry(&unit->leader, unit->rows[i]);
		int err = attr_map__publish(map, evsel, &entry);

		if (err == -E2BIG)
			pr_warn("%s: the map of shared counters is full: counted, but not shared\n"
				"perf made it with few entries; when nobody uses it, remove it, and pstat makes a "
				"larger one",
				evsel->name);
		else if (err)
			pr_info("%s: counted, but not shared: %s", evsel->name, strerror(-err));
	}
}

static int start_leader(const struct bperf_group *priv, struct bperf_unit *unit, struct bperf_events *open)
{
	int err = bperf_leader__make(open, priv->nr_cpus, &unit->leader);

	err = err ?: bperf_leader__attach(&unit->leader);
	if (err)
		return err;
	/* from its first reading on, a CPU has differences to tell */
	err = bpf_settle__cpus(unit->leader.prog_fd, priv->online);
	if (err)
		pr_err("cannot run the leader on every CPU: %s", strerror(-err));
	return err;
}

/* A unit with a new leader for @open, which is shared as far as it can be. */
static int add_leader(struct backend_group *group, struct attr_map *map, struct bperf_events *open, const int *numbers)
{
	struct bperf_unit *unit = bperf_group__add_unit(group->priv);
	int err;

	if (!unit)
		return -ENOMEM;
	unit->shared = true;
	err = start_leader(group->priv, unit, open);
	if (err)
		return err;
	for (int row = 0; row < open->nr; row++)
		bperf_group__add_event(group->priv, unit, numbers[open->events[row]], row);
	pr_info("made the leader of link %u for %d events", unit->leader.link_id, unit->nr);
	publish(group, map, unit, open->nr_shared);
	return 0;
}

/* A new leader for all events that have none. */
static int make_leader(struct backend_group *group, struct attr_map *map)
{
	const struct bperf_group *priv = group->priv;
	int *numbers = calloc((size_t)group->nr + 1, sizeof(int)), err;
	struct backend_group rest;
	struct bperf_events open;

	if (!numbers) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	err = bperf_group__open_rest(group, priv->online, map, &rest, numbers, &open);
	if (!err && open.nr)
		err = add_leader(group, map, &open, numbers);
	bperf_group__end_rest(&rest, &open);
	free(numbers);
	return err;
}

/* ---- followers ---- */

/* CPUs are what a pstat leader's own totals are of: only for tasks, and for other leaders, there is something to add up. */
static bool needs_follower(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	return priv->target.threads || !unit->leader.of_pstat;
}

/* Whatever it is, a leader that is not pstat's reads it from a perf event with its times; but switches are counted here. */
static __u8 how_of_foreign(const struct evsel *evsel)
{
	return bperf_events__how(evsel) == BPERF_SWITCHES ? BPERF_SWITCHES : BPERF_TIMES;
}

static int follow(struct backend_group *group, struct bperf_unit *unit)
{
	const struct bperf_group *priv = group->priv;
	struct bperf_plan plan[BPERF_MAX_EVENTS];

	if (!needs_follower(priv, unit))
		return 0;
	for (int i = 0; i < unit->nr; i++) {
		plan[i].how = unit->leader.of_pstat ? unit->leader.info.plan[unit->rows[i]].how :
						      how_of_foreign(group->evsels[unit->events[i]]);
		plan[i].times_of = plan[i].unused = 0;
		plan[i].row = (__u8)unit->rows[i];
	}
	return bperf_follower__follow(&unit->leader, plan, unit->nr, &priv->target, &unit->follower);
}

/* Its leader has all followers that it can have: the events are without a unit again. */
static void abandon(struct bperf_group *priv, struct bperf_unit *unit)
{
	pr_info("the leader of link %u has all followers that it can have: making another", unit->leader.link_id);
	for (int i = 0; i < unit->nr; i++)
		priv->unit_of[unit->events[i]] = -1;
	unit->nr = 0;
	unit->shared = false;
	bperf_leader__close(&unit->leader);
}

static int follow_all(struct backend_group *group, struct attr_map *map)
{
	struct bperf_group *priv = group->priv;
	bool full = false;
	int err = 0, nr = priv->nr_units;

	for (int i = 0; !err && i < nr; i++) {
		err = follow(group, &priv->units[i]);
		if (err == -EUSERS) {
			abandon(priv, &priv->units[i]);
			full = true;
			err = 0;
		}
	}
	if (err || !full)
		return err;
	err = make_leader(group, map);
	for (int i = nr; !err && i < priv->nr_units; i++)
		err = follow(group, &priv->units[i]);
	if (err == -EUSERS)
		pr_err("a new leader cannot be followed: %s", strerror(E2BIG));
	return err;
}

int bperf_share__open(struct backend_group *group, struct attr_map *map)
{
	int err;

	attr_map__lock(map);
	err = join_leaders(group, map);
	err = err ?: make_leader(group, map);
	err = err ?: follow_all(group, map);
	attr_map__unlock(map);
	return err;
}
