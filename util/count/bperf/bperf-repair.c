// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-unit.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bperf/bperf-cpus.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/one-cpu-events.h"
#include "util/count/share/share-lock.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* ---- events that must be opened again ---- */

/*
 * A program whose events may be dead: a leader (bperf-leader.h), or a follower without a leader
 * (bperf-follower.h). An event is dead on a CPU if it does not count there, because the CPU was
 * offline, or because the event was never opened there.
 */
struct patient {
	const struct backend_group *group;
	struct bperf_reader reader;
	/*
	 * the events of this session that the program reads: `events` contains their indexes in the
	 * group, and `rows` contains their indexes (rows) in the program
	 */
	const int *events, *rows;
	int nr;
};

static const struct evsel *evsel_of(const struct patient *p, int i)
{
	return p->group->evsels[p->events[i]];
}

static bool is_dead(const struct patient *p, int i, uint64_t dead)
{
	return dead >> p->rows[i] & 1;
}

/*
 * Returns whether any event in the perf group of event @i is dead. If one is dead, all events of
 * the group must be opened again.
 */
static bool group_is_dead(const struct patient *p, int i, uint64_t dead)
{
	for (int other = 0; other < p->nr; other++)
		if (evsel_of(p, other)->leader == evsel_of(p, i)->leader && is_dead(p, other, dead))
			return true;
	return false;
}

static bool is_to_open(const struct patient *p, int i, uint64_t dead, int cpu_id)
{
	const struct evsel *evsel = evsel_of(p, i);

	if (evsel->pmu_cpus && cpumap__index(evsel->pmu_cpus, cpu_id) < 0)
		return false;
	return evsel__is_grouped(evsel) ? group_is_dead(p, i, dead) : is_dead(p, i, dead);
}

/*
 * Fills @events, which must have room for all events of @p, with the events that must be opened
 * again. Returns the number of stored events. If the user named an event twice, both evsels may
 * have the same row. Then only one of them is stored.
 */
static int choose_events(const struct patient *p, uint64_t dead, int cpu_id,
			 struct one_cpu_event *events)
{
	uint64_t chosen = 0;
	int nr = 0;

	for (int i = 0; i < p->nr; i++) {
		if (chosen >> p->rows[i] & 1 || !is_to_open(p, i, dead, cpu_id))
			continue;
		chosen |= 1ULL << p->rows[i];
		events[nr++] =
			(struct one_cpu_event){ .evsel = evsel_of(p, i),
						.row = p->rows[i],
						.left_out =
							p->group->counts[p->events[i]]->left_out };
	}
	return nr;
}

/*
 * Returns whether CPU @cpu_id is online now, or true if pstat cannot determine this. If the CPU has
 * gone offline again, callers do not report that its events do not count, because the session will
 * handle this change next.
 */
static bool is_online(int cpu_id)
{
	struct cpumap *now;
	bool found;

	if (cpumap__online(sysroots__host(), &now))
		return true;
	found = cpumap__index(now, cpu_id) >= 0;
	cpumap__free(now);
	return found;
}

/* ---- repairing a reader ---- */

/*
 * The result of a repair: which event could not be opened again, on which CPU, and why.
 */
struct verdict {
	/* the last CPU on which an event could not be opened again; -1: all events count */
	int cpu_id;
	const struct evsel *evsel;
	struct strbuf why;
};

static int reopen(struct bperf_cpus *repair, int cpu_id, const struct one_cpu_event *events, int nr,
		  struct verdict *verdict)
{
	struct strbuf why = STRBUF_INIT;
	int err = bperf_cpus__reopen(repair, cpu_id, events, nr, &why);
	if (!err) {
		pr_info("CPU %d: opened %s%s again, because the old counter no longer counts",
			cpu_id, events[0].evsel->name, nr > 1 ? " and other events" : "");
	} else if (is_online(cpu_id)) {
		verdict->cpu_id = cpu_id;
		verdict->evsel = events[0].evsel;
		strbuf__free(&verdict->why);
		verdict->why = why;
		return err;
	}
	strbuf__free(&why);
	return 0;
}

/*
 * Opens the dead events of one CPU again. If they cannot be opened, stores the reason in @verdict,
 * and returns 0. Returns -ENOMEM if memory runs out. Returns another -errno if pstat cannot find
 * out which events are dead.
 */
static int repair_cpu(const struct patient *p, struct bperf_cpus *repair, int cpu_id,
		      struct one_cpu_event *events, struct verdict *verdict)
{
	uint64_t dead;
	int err = bperf_cpus__find_dead(repair, cpu_id, &dead), nr;

	if (err == -ENXIO)
		return 0;
	if (err) {
		/* the reason of an earlier CPU, if there is one, is not the reason for @err */
		strbuf__reset(&verdict->why);
		verdict->cpu_id = -1;
		return err;
	}
	nr = choose_events(p, dead, cpu_id, events);
	return nr && reopen(repair, cpu_id, events, nr, verdict) == -ENOMEM ? -ENOMEM : 0;
}

/*
 * Opens the dead events on @cpus again. Creates *@repair if it is NULL. Returns 0 or -errno. On
 * success, @verdict describes an event that is still dead, or verdict->cpu_id is -1 if there is
 * none. On error, verdict->why contains the reason, or is empty. The caller must free verdict->why.
 */
static int repair_on(const struct patient *p, struct bperf_cpus **repair, const struct cpumap *cpus,
		     struct verdict *verdict)
{
	struct one_cpu_event *events = calloc((size_t)p->nr + 1, sizeof(*events));
	int err = events ? 0 : -ENOMEM;

	*verdict = (struct verdict){ .cpu_id = -1, .why = STRBUF_INIT };
	if (!err && !*repair)
		err = bperf_cpus__new(&p->reader, repair, &verdict->why);
	for (int i = 0; !err && i < cpus->nr; i++)
		err = repair_cpu(p, *repair, cpus->ids[i], events, verdict);
	free(events);
	return err;
}

static struct bperf_reader leaders_reader(struct bperf_leader *leader)
{
	return (struct bperf_reader){
		.prog_fd = leader->prog_fd,
		.state_fd = leader->source_fd,
		.events_fd = leader->events_fd,
		.nr_events = leader->info.nr_events,
		.nr_cpus = leader->info.nr_cpus,
		.plan = leader->info.plan,
		.held = &leader->held,
	};
}

/* ---- leaders of other tools ---- */

/*
 * Looks for a CPU in @cpus on which the leader of another tool does not count @evsel. Makes the
 * leader take two readings on each CPU. If the leader counts @evsel on a CPU, the enabled time
 * increases between these readings. The event's diff map contains this increase for each CPU. An
 * increase of 0 means that @evsel is not counted on that CPU. Returns the id of a CPU on which
 * @evsel is not counted; -1 if there is none, or if pstat cannot determine this; or -ENOMEM.
 */
static int find_dead_of_other(const struct backend_group *group, const struct bperf_leader *leader,
			      const struct evsel *evsel, const struct cpumap *cpus)
{
	const struct bperf_group *priv = group->priv;
	struct bpf_perf_event_value *diffs = calloc((size_t)priv->possible->nr, sizeof(*diffs));
	int err = diffs ? bpf_util__flush_cpus(leader->prog_fd, cpus) : -ENOMEM, found = -1;
	__u32 zero = 0;

	err = err ?: bpf_util__flush_cpus(leader->prog_fd, cpus);
	if (!err && bpf_map_lookup_elem(leader->source_fd, &zero, diffs))
		err = -errno;
	for (int i = 0; !err && i < cpus->nr; i++) {
		int cpu = cpumap__index(priv->possible, cpus->ids[i]);

		if (cpu >= 0 && !diffs[cpu].enabled &&
		    (!evsel->pmu_cpus || cpumap__index(evsel->pmu_cpus, cpus->ids[i]) >= 0))
			found = cpus->ids[i];
	}
	free(diffs);
	return err == -ENOMEM ? err : found;
}

static int check_other(const struct backend_group *group, const struct bperf_leader *leader,
		       const struct evsel *evsel, struct strbuf *why)
{
	const struct bperf_group *priv = group->priv;
	int cpu_id = find_dead_of_other(group, leader, evsel, priv->online);

	if (cpu_id == -ENOMEM)
		return cpu_id;
	if (cpu_id < 0 || !is_online(cpu_id))
		return 0;
	return reason__set(
		why, -ENODEV,
		"the leader of link %u, which another tool made, does not count on CPU %d",
		leader->link_id, cpu_id);
}

int bperf_repair__leader(const struct backend_group *group, struct bperf_leader *leader, int event,
			 int row, struct strbuf *why)
{
	const struct bperf_group *priv = group->priv;
	const struct patient p = { group, leaders_reader(leader), &event, &row, 1 };
	struct bperf_cpus *repair = NULL;
	struct verdict verdict;
	int err;

	if (!leader->of_pstat)
		return check_other(group, leader, group->evsels[event], why);
	/* a shared clock or context-switch event has no perf event: the leader counts it itself */
	if (leader->info.plan[row].how < BPERF_VALUE)
		return 0;
	err = repair_on(&p, &repair, priv->online, &verdict);
	if (!err && verdict.cpu_id >= 0)
		strbuf__addf(why,
			     "the leader of link %u does not count on CPU %d, and its events there "
			     "cannot be replaced: %s",
			     leader->link_id, verdict.cpu_id, verdict.why.text);
	else if (err)
		strbuf__addf(why,
			     "cannot check whether the leader of link %u counts on all CPUs: %s",
			     leader->link_id, verdict.why.len ? verdict.why.text : strerror(-err));
	if ((err && err != -ENOMEM) || verdict.cpu_id >= 0)
		err = -ENODEV;
	strbuf__free(&verdict.why);
	bperf_cpus__free(repair);
	return err;
}

/* ---- while a session counts ---- */

static struct bperf_reader units_reader(struct bperf_unit *unit)
{
	return unit->shared ? leaders_reader(&unit->leader) :
			      bperf_follower__reader(unit->follower);
}

static void warn_other(const struct backend_group *group, const struct bperf_unit *unit,
		       const struct cpumap *online)
{
	for (int i = 0; i < unit->nr; i++) {
		const struct evsel *evsel = group->evsels[unit->events[i]];
		int cpu_id = find_dead_of_other(group, &unit->leader, evsel, online);

		if (cpu_id >= 0 && is_online(cpu_id))
			pr_warn("event %d: not counted on CPU %d since the CPU came online: only "
				"the tool that made the leader of link %u can open the event "
				"again\nend all sessions that count this event and start again, or "
				"count without --bpf-counters",
				evsel->idx + 1, cpu_id, unit->leader.link_id);
	}
}

static int repair_unit(struct backend_group *group, struct bperf_unit *unit,
		       const struct cpumap *online)
{
	const struct patient p = { group, units_reader(unit), unit->events, unit->rows, unit->nr };
	struct verdict verdict;
	int err = repair_on(&p, &unit->repair, online, &verdict);

	if (err)
		reason__set(group->why, err,
			    "cannot check on which CPUs the shared counters count: %s",
			    verdict.why.len ? verdict.why.text : strerror(-err));
	else if (verdict.cpu_id >= 0)
		pr_warn("event %d: not counted on CPU %d since the CPU came online: %s",
			verdict.evsel->idx + 1, verdict.cpu_id, verdict.why.text);
	strbuf__free(&verdict.why);
	return err;
}

/*
 * Sets @cpus[i] to whether @reader has taken a reading on the CPU with index i in priv->possible.
 * If there has been no reading on a CPU, the CPU's clock events (task-clock, cpu-clock) need not be
 * stopped, because their counts will start at zero at the first reading. Returns 0 or -errno.
 */
static int was_read(const struct bperf_reader *reader, const struct bperf_group *priv, bool *cpus)
{
	size_t size = BPERF_STATE_SIZE(reader->nr_events);
	char *states = calloc((size_t)priv->possible->nr, size);
	__u32 zero = 0;
	int err = states ? 0 : -ENOMEM;

	if (!err && bpf_map_lookup_elem(reader->state_fd, &zero, states))
		err = -errno;
	for (int cpu = 0; !err && cpu < priv->possible->nr; cpu++)
		cpus[cpu] = ((const struct bperf_state *)(states + size * (size_t)cpu))->time;
	free(states);
	return err;
}

/*
 * Stops the clock events of offline CPUs, and lets the clock events of other CPUs continue. (Clock
 * events of tasks need not be stopped, because no task runs on an offline CPU.)
 */
static int stop_clocks(struct backend_group *group, struct bperf_unit *unit,
		       const struct cpumap *online)
{
	const struct bperf_group *priv = group->priv;
	const struct bperf_reader reader = units_reader(unit);
	bool *read = calloc((size_t)priv->possible->nr, sizeof(*read));
	int err = read ? was_read(&reader, priv, read) : -ENOMEM;
	struct strbuf why = STRBUF_INIT;

	for (int cpu = 0; !err && cpu < priv->possible->nr; cpu++) {
		int cpu_id = priv->possible->ids[cpu];
		bool away = cpumap__index(online, cpu_id) < 0;

		if (away && read[cpu] && !unit->repair)
			err = bperf_cpus__new(&reader, &unit->repair, &why);
		if (!err && unit->repair && read[cpu])
			err = bperf_cpus__set_away(unit->repair, cpu_id, away, &why);
	}
	if (why.len)
		pr_warn("clock events also count the time for which a CPU is offline: %s",
			why.text);
	err = why.len ? 0 :
			reason__set(group->why, err, "cannot read the shared counters: %s",
				    strerror(-err));
	strbuf__free(&why);
	free(read);
	return err;
}

/*
 * Opens the dead events of all units (bperf-unit.h) again. If another tool made the leader of a
 * unit, only warns about the dead events. In units that count CPUs, also stops the clock events of
 * offline CPUs. Holds the share lock (share_lock__take()), so that only one session at a time
 * repairs a leader.
 */
static int repair_units(struct backend_group *group, const struct cpumap *online)
{
	struct bperf_group *priv = group->priv;
	struct share_lock lock;
	int err = 0;

	share_lock__take(&lock);
	for (int i = 0; !err && i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i];

		if (!unit->nr)
			continue;
		if (unit->shared && !unit->leader.of_pstat)
			warn_other(group, unit, online);
		else
			err = repair_unit(group, unit, online);
		if (!err && bperf_unit__counts_cpus(priv, unit))
			err = stop_clocks(group, unit, online);
	}
	share_lock__release(&lock);
	return err;
}

int bperf_repair__cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	struct bperf_group *priv = group->priv;
	struct cpumap *copy = cpumap__copy(online);

	if (!copy)
		return -ENOMEM;
	cpumap__free(priv->online);
	priv->online = copy;
	priv->cpus_changed = true;
	return repair_units(group, priv->online);
}
