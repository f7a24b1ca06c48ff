// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-unit.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bperf/bperf-cpus.h"
#include "util/count/bpf-util.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/* ---- units and their events ---- */

struct bperf_unit *bperf_group__add_unit(struct bperf_group *priv)
{
	struct bperf_unit *units =
		realloc(priv->units, sizeof(*units) * ((size_t)priv->nr_units + 1));

	if (!units)
		return NULL;
	priv->units = units;
	units[priv->nr_units] = (struct bperf_unit){ .leader = BPERF_LEADER_NONE };
	return &units[priv->nr_units++];
}

void bperf_group__add_event(struct bperf_group *priv, struct bperf_unit *unit, int event, int row)
{
	unit->events[unit->nr] = event;
	unit->rows[unit->nr++] = row;
	priv->unit_of[event] = (int)(unit - priv->units);
}

void bperf_unit__close_follower(struct bperf_unit *unit)
{
	bperf_cpus__free(unit->repair);
	bperf_follower__close(unit->follower);
	free(unit->start);
	free(unit->done);
	unit->repair = NULL;
	unit->follower = NULL;
	unit->start = unit->done = NULL;
}

void bperf_unit__close(struct bperf_unit *unit)
{
	bperf_unit__close_follower(unit);
	bperf_leader__close(&unit->leader);
}

void bperf_group__drop_units(struct bperf_group *priv, int nr_events)
{
	for (int i = 0; i < priv->nr_units; i++)
		bperf_unit__close(&priv->units[i]);
	free(priv->units);
	priv->units = NULL;
	priv->nr_units = 0;
	for (int event = 0; event < nr_events; event++)
		priv->unit_of[event] = -1;
}

void bperf_group__free(struct bperf_group *priv)
{
	bperf_group__drop_units(priv, 0);
	free(priv->unit_of);
	free(priv->values);
	cpumap__free(priv->online);
	cpumap__free(priv->possible);
	free(priv);
}

/* ---- the totals of CPUs ---- */

bool bperf_unit__counts_cpus(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	return !priv->target.threads && !priv->target.points && (!unit->shared || !unit->follower);
}

static bool has_state(const struct bperf_unit *unit)
{
	return !unit->shared || unit->leader.of_pstat;
}

static uint32_t nr_rows(const struct bperf_unit *unit)
{
	return unit->shared ? unit->leader.info.nr_events : (uint32_t)unit->nr;
}

static size_t state_size(const struct bperf_unit *unit)
{
	return BPERF_STATE_SIZE(nr_rows(unit));
}

/*
 * pstat reads two kinds of values from per-CPU maps of the unit (bperf-unit.h): the state, and the
 * totals in a slot of the follower. Returns how many bytes the larger of the two needs for one CPU.
 * If the user names the same event many times, the totals can be larger than the state of the
 * leader.
 */
static size_t largest_size(const struct bperf_unit *unit)
{
	size_t state = state_size(unit),
	       slot = sizeof(struct bpf_perf_event_value) * (size_t)unit->nr;

	return state > slot ? state : slot;
}

static int read_states(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	int fd = unit->shared ? unit->leader.source_fd : bperf_follower__state_fd(unit->follower);
	__u32 zero = 0;

	return bpf_map_lookup_elem(fd, &zero, priv->values) ? -errno : 0;
}

static const struct bperf_state *state_of(const struct bperf_group *priv,
					  const struct bperf_unit *unit, int possible)
{
	return (const struct bperf_state *)((const char *)priv->values +
					    state_size(unit) * (size_t)possible);
}

static enum bperf_how how_of(const struct bperf_unit *unit, int row)
{
	const struct bperf_plan *plan = unit->shared ? unit->leader.info.plan :
						       bperf_follower__reader(unit->follower).plan;

	return plan[row].how;
}

/*
 * Returns the total of event @i on the CPU with index @possible in priv->possible. Uses the states
 * that read_states() has read. For an event that is never multiplexed (BPERF_CLOCK, BPERF_SWITCHES,
 * BPERF_VALUE), the enabled and running times in the state are the time of the latest reading. The
 * value of a clock (BPERF_CLOCK) is also this time. From each of these times, this function
 * subtracts the time of the first reading, so that the totals begin at zero.
 */
static struct reading total_of(const struct bperf_group *priv, const struct bperf_unit *unit,
			       int possible, int i)
{
	const struct bperf_state *state = state_of(priv, unit, possible);
	const struct bpf_perf_event_value *totals =
		(const struct bpf_perf_event_value *)(state + 1);
	const struct bpf_perf_event_value *total =
		&totals[BPERF_ROW_TOTALS * nr_rows(unit) + (size_t)unit->rows[i]];
	const struct bpf_perf_event_value *carry =
		&totals[BPERF_ROW_CARRY * nr_rows(unit) + (size_t)unit->rows[i]];
	enum bperf_how how = how_of(unit, unit->rows[i]);
	uint64_t first = how <= BPERF_VALUE && total->enabled ? state->first : 0;

	return (struct reading){
		.value = total->counter + carry->counter - (how == BPERF_CLOCK ? first : 0),
		.enabled = total->enabled + carry->enabled - first,
		.running = total->running + carry->running - first,
	};
}

static void add_difference(struct reading *sum, const struct reading *end,
			   const struct reading *start)
{
	sum->value += end->value - start->value;
	sum->enabled += end->enabled - start->enabled;
	sum->running += end->running - start->running;
}

/*
 * Uses the totals that read_states() has just read. If @on is true, stores these totals in
 * unit->start. Otherwise, subtracts unit->start from these totals, and adds the differences to
 * unit->done.
 */
static void mark_totals(const struct bperf_group *priv, struct bperf_unit *unit, bool on)
{
	for (int cpu = 0; cpu < priv->possible->nr; cpu++) {
		for (int i = 0; i < unit->nr; i++) {
			struct reading *start = &unit->start[cpu * unit->nr + i],
				       now = total_of(priv, unit, cpu, i);

			if (on)
				*start = now;
			else
				add_difference(&unit->done[cpu * unit->nr + i], &now, start);
		}
	}
}

static void set_cpu_counts(struct backend_group *group, const struct bperf_unit *unit)
{
	const struct bperf_group *priv = group->priv;

	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		int possible = cpumap__index(priv->possible, group->cpus->ids[cpu]);

		for (int i = 0; i < unit->nr; i++) {
			struct reading total = unit->done[possible * unit->nr + i];
			struct reading now = total_of(priv, unit, possible, i);

			if (priv->on)
				add_difference(&total, &now, &unit->start[possible * unit->nr + i]);
			counts__set(group->counts[unit->events[i]], cpu, 0, &total);
		}
	}
}

/* ---- the totals of tasks ---- */

/*
 * Returns @sum, or 0 if it is negative. If a task is counted from its exec on, a sum can be
 * negative from the exec until the next reading on the CPU. At the exec, BPF subtracts the counts
 * since the previous reading, because at the next reading, it will add all counts between the two
 * readings.
 */
static uint64_t not_negative(uint64_t sum)
{
	return (int64_t)sum < 0 ? 0 : sum;
}

static struct reading reading_of(const struct bpf_perf_event_value *sum)
{
	return (struct reading){
		.value = not_negative(sum->counter),
		.enabled = not_negative(sum->enabled),
		.running = not_negative(sum->running),
	};
}

static int set_slot_counts(struct backend_group *group, const struct bperf_unit *unit, int slot)
{
	const struct bperf_group *priv = group->priv;
	const struct bpf_perf_event_value *values = priv->values;
	int err = bperf_follower__read(unit->follower, slot, priv->values);

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++) {
		int possible = cpumap__index(priv->possible, group->cpus->ids[cpu]);

		for (int i = 0; i < unit->nr; i++) {
			struct reading total = reading_of(&values[possible * unit->nr + i]);

			counts__set(group->counts[unit->events[i]], cpu, slot, &total);
		}
	}
	return err;
}

/* ---- all units ---- */

int bperf_group__alloc(struct bperf_group *priv)
{
	size_t nr = (size_t)priv->possible->nr, largest = 0;

	for (int i = 0; i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i];
		size_t size = largest_size(unit);

		largest = size > largest ? size : largest;
		unit->start = calloc(nr * (size_t)unit->nr + 1, sizeof(*unit->start));
		unit->done = calloc(nr * (size_t)unit->nr + 1, sizeof(*unit->done));
		if (!unit->start || !unit->done)
			return -ENOMEM;
	}
	priv->values = calloc(nr, largest + 1);
	return priv->values ? 0 : -ENOMEM;
}

/* Stores a reason if @err is not 0. Returns @err. */
static int check_read(const struct bperf_group *priv, int err)
{
	return reason__set(priv->why, err, "cannot read the shared counters: %s", strerror(-err));
}

/*
 * Takes a reading on each CPU, so that the totals include the counts since the CPU's last context
 * switch.
 */
static int flush(const struct bperf_group *priv)
{
	int err = 0;

	for (int i = 0; !err && i < priv->nr_units; i++) {
		const struct bperf_unit *unit = &priv->units[i];

		if (!unit->nr)
			continue;
		err = bpf_util__flush_cpus(unit->shared ? unit->leader.prog_fd :
							  bperf_follower__prog_fd(unit->follower),
					   priv->online);
	}
	return reason__set(priv->why, err, "cannot update the counts of every CPU: %s",
			   strerror(-err));
}

static struct bperf_faults sum_faults(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	struct bperf_faults sum = {};

	for (int cpu = 0; cpu < priv->possible->nr; cpu++) {
		sum.errors += state_of(priv, unit, cpu)->errors;
		sum.switches += state_of(priv, unit, cpu)->switches;
	}
	return sum;
}

int bperf_group__switch(struct bperf_group *priv, bool on)
{
	int err;

	if (on == priv->on)
		return 0;
	for (int i = 0; i < priv->nr_units; i++)
		if (priv->units[i].follower)
			bperf_follower__switch(priv->units[i].follower, on);
	err = flush(priv);
	for (int i = 0; !err && i < priv->nr_units; i++) {
		struct bperf_unit *unit = &priv->units[i];

		if (!unit->nr || !has_state(unit))
			continue;
		err = check_read(priv, read_states(priv, unit));
		if (!err && on && !priv->was_on)
			unit->before = sum_faults(priv, unit);
		if (!err && bperf_unit__counts_cpus(priv, unit))
			mark_totals(priv, unit, on);
	}
	priv->on = on;
	priv->was_on |= on;
	return err;
}

/*
 * The shorter the time between the readings before and after a change of the gate, the more exactly
 * pstat can divide what was counted in this time into counts before and after the change.
 */
int bperf_group__serve(struct backend_group *group)
{
	struct bperf_group *priv = group->priv;

	if (!priv->target.points || !priv->units->follower)
		return 0;
	bperf_follower__drain(priv->units->follower);
	return flush(priv);
}

static int read_unit(struct backend_group *group, const struct bperf_unit *unit)
{
	const struct bperf_group *priv = group->priv;
	int slots = priv->target.threads && priv->target.per_thread ? priv->target.threads->nr : 1,
	    err = 0;

	if (bperf_unit__counts_cpus(priv, unit)) {
		err = read_states(priv, unit);
		if (!err)
			set_cpu_counts(group, unit);
		return err;
	}
	for (int slot = 0; !err && slot < slots; slot++)
		err = set_slot_counts(group, unit, slot);
	return err;
}

int bperf_group__read(struct backend_group *group)
{
	struct bperf_group *priv = group->priv;
	int err = priv->on ? flush(priv) : 0;

	for (int i = 0; !err && i < priv->nr_units; i++)
		if (priv->units[i].nr)
			err = check_read(priv, read_unit(group, &priv->units[i]));
	return err;
}

/* ---- events that could not be counted ---- */

static void report_lost(uint64_t lost)
{
	if (lost)
		pr_warn("%" PRIu64
			" tasks were not counted: there were more tasks at once than BPF can "
			"follow (%d), or the kernel had no memory for them\n"
			"count them natively, without --bpf-counters",
			lost, BPERF_ROOM_FOR_TASKS);
}

static void report_skipped(uint64_t skipped)
{
	if (skipped)
		pr_warn("%" PRIu64 " times the kernel skipped the BPF program that follows new and "
			"ending tasks, so the counts of some tasks may be "
			"missing\ncount them natively, without --bpf-counters",
			skipped);
}

/*
 * Reports the number of failed reads: as a warning if it exceeds one per thousand context switches,
 * and otherwise only with -v.
 */
static void report_errors(const struct bperf_group *priv, const struct bperf_unit *unit)
{
	struct bperf_faults sum;
	uint64_t errors, switches;

	if (read_states(priv, unit))
		return;
	sum = sum_faults(priv, unit);
	errors = sum.errors - unit->before.errors;
	switches = sum.switches - unit->before.switches;
	if (errors)
		log__print(errors * 1000 > switches ? LOG_WARNING : LOG_INFO,
			   "%" PRIu64 " times a counter could not be read at a context switch, so "
			   "its count may be attributed to the wrong task",
			   errors);
}

void bperf_group__report_faults(struct bperf_group *priv)
{
	if (!priv->was_on || !priv->values)
		return;
	for (int i = 0; i < priv->nr_units; i++) {
		const struct bperf_unit *unit = &priv->units[i];

		if (unit->follower) {
			report_lost(bperf_follower__lost(unit->follower));
			report_skipped(bperf_follower__skipped(unit->follower));
		}
		if (unit->nr && has_state(unit))
			report_errors(priv, unit);
	}
}
