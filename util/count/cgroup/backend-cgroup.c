// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts events in many cgroups. A BPF program, on_switch, reads the events at context switches
 * (see bpf_skel/cgroup_counter.bpf.c). Each event is opened once per CPU, regardless of the number
 * of cgroups. Each cgroup that the user listed has a slot. On each CPU, a slot has a row of cells,
 * which contain the counts.
 *
 *	evsels ─► cgroup_plan: cells ──────────────────────┐
 *	  those that need a counter ─► perf fds per CPU ───┼─► on_switch ─► rows[CPU][slot]
 *	subjects ─► cgroup_slots: slots, parents ──────────┘                      │
 *	                              counts ◄── sums up the tree ◄───────────────┘
 *
 *	cgroup-plan, -slots, -members, -session
 *	    cells of events; slots of cgroups; the tree of a leader's cgroups; counts of a session
 *	cgroup-follow
 *	    cgroups that are created and removed
 *	backend-cgroup-events, -load, -btf, -cpus
 *	    perf fds; the BPF programs; offsets in the kernel's structs; data of each CPU
 *	backend-cgroup-repair
 *	    CPUs that go offline and come online
 *	backend-cgroup-alone, -leader, -join, -share
 *	    opening a session: with programs of its own, or with programs that sessions share
 *
 * A set of programs and rows that several sessions can use is called a leader (see
 * cgroup-session.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/backend-cgroup-join.h"
#include "util/count/cgroup/cgroup-follow.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/cgroup/cgroup-session.h"
#include "util/count/cgroup/cgroup-slots.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/share/held-events.h"
#include "util/count/share/shared-link.h"
#include "util/count/stat-config.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"

static int by_cgroup__probe(struct strbuf *why_not)
{
	const struct cgroup_sizes sizes = { .nr_cells = CGROUP_CELL_PLAIN,
					    .nr_cpus = 1,
					    .nr_slots = 1 };
	struct cgroup_object object = CGROUP_OBJECT_INIT;
	int err = cgroup_object__load(&object, &sizes, why_not);

	cgroup_object__close(&object);
	return err;
}

/* ---- open ---- */

/*
 * The largest number of events with which --cgroup-follow can count the maximum number of cgroups.
 * With more events, fewer cgroups can be counted (nr_follow_slots()).
 */
#define FOLLOW_EVENTS 16
#define FOLLOW_CGROUPS 1024 /* the maximum number of cgroups, unless cfg->follow_most is set */

/*
 * Returns the number of slots for --cgroup-follow. When the BPF maps are created, the kernel
 * allocates the memory for all events of all slots, so the number is smaller if there are many
 * events.
 */
static int nr_follow_slots(const struct stat_config *cfg, int nr_events)
{
	int most = cfg->follow_most ?: FOLLOW_CGROUPS, nr = FOLLOW_EVENTS * most / nr_events;

	return nr < 64 ? 64 : nr > most ? most : nr;
}

static int make_slots(const struct backend_group *group, struct cgroup_group *priv,
		      const struct stat_config *cfg)
{
	priv->nr_events = group->nr;
	priv->v1 = cfg->cgroup_mount->v1;
	priv->places = cfg->each_cgroup;
	/* with --cgroup-follow, all cgroups that have lost their own slots share one extra slot */
	priv->slots =
		cfg->cgroup_follow ?
			cgroup_slots__new_places(nr_follow_slots(cfg, group->measurement->nr) + 1) :
			cgroup_slots__new(cfg->each_cgroup, cfg->nr_each_cgroup);
	return priv->slots ? 0 : -ENOMEM;
}

static int alloc_sums(struct cgroup_group *priv)
{
	size_t nr = (size_t)priv->object.sizes.nr_slots * priv->plan->nr_cells;

	priv->own = calloc(nr, sizeof(*priv->own));
	priv->sums = calloc(nr, sizeof(*priv->sums));
	return priv->own && priv->sums ? 0 : -ENOMEM;
}

static int by_cgroup__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = calloc(1, sizeof(*priv));
	int err = priv ? cpumap__possible_here(group->why, &priv->possible) : -ENOMEM;
	const char *why_alone = NULL;

	group->priv = priv;
	if (priv) {
		priv->why = group->why;
		priv->object = (struct cgroup_object)CGROUP_OBJECT_INIT;
	}
	err = err ?: make_slots(group, priv, cfg);
	err = err ?: cgroup_group__alloc_events(priv);
	if (!err)
		why_alone = cgroup_group__why_alone(group, cfg);
	if (!err && !why_alone)
		err = cgroup_group__open_shared(group, cfg);
	else if (!err)
		err = cgroup_group__open_alone(group, cfg, why_alone);
	if (!err && cfg->points)
		*group->gate = cgroup_object__gate(&priv->object);
	return err ?: alloc_sums(priv);
}

/* ---- while pstat counts ---- */

static void copy_rows(const struct cgroup_group *priv, int cpu_id, uint32_t nr_slots)
{
	const volatile uint64_t *row = cgroup_object__row(&priv->object, cpu_id, 0);

	for (size_t cell = 0; cell < (size_t)nr_slots * priv->plan->nr_cells; cell++)
		priv->own[cell] = row[cell];
}

/*
 * Stores the leader's sums for one CPU in priv->sums. The sums of a cgroup are its counts plus the
 * counts of the cgroups below it. Reads the rows again if another session has assigned slots
 * meanwhile, because this changes the leader's tree of cgroups. Returns 0 or -ENOMEM.
 */
static int sum_up_shared(const struct cgroup_group *priv, int cpu_id)
{
	const struct cgroup_object *object = &priv->object;
	struct cgroup_session *session = priv->session;
	int err = 0;

	do {
		err = cgroup_session__refresh(session, object->control, object->members,
					      object->sizes.nr_slots);
		if (err)
			break;
		copy_rows(priv, cpu_id, session->tree.nr);
	} while (!cgroup_session__is_current(session, object->control));
	if (!err)
		cgroup_slots__add_up(&session->tree, priv->own, priv->sums, priv->plan->nr_cells);
	return err;
}

static int sum_up(const struct cgroup_group *priv, int cpu_id)
{
	if (priv->session)
		return sum_up_shared(priv, cpu_id);
	copy_rows(priv, cpu_id, priv->slots->nr);
	if (priv->follow)
		cgroup_follow__adjust(priv->follow, cpu_id, priv->own);
	cgroup_slots__add_up(priv->slots, priv->own, priv->sums, priv->plan->nr_cells);
	return 0;
}

/* Enables or disables this session. The leader and its other sessions continue to count. */
static int switch_session(const struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;
	int err = cgroup_group__flush(group);

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++) {
		err = sum_up(priv, group->cpus->ids[cpu]);
		if (!err)
			cgroup_session__toggle(priv->session, cpu, priv->sums);
	}
	return err;
}

static int switch_to(struct backend_group *group, bool on)
{
	struct cgroup_group *priv = group->priv;
	bool was_on = priv->on;

	priv->on = on;
	priv->was_on |= on;
	if (priv->session)
		return was_on == on ? 0 : switch_session(group);
	if (priv->object.sizes.points && !on)
		gate__disarm(cgroup_object__gate(&priv->object));
	cgroup_object__enable(&priv->object, on);
	if (priv->object.sizes.points && on)
		gate__arm(cgroup_object__gate(&priv->object), priv->object.sizes.points);
	return cgroup_group__flush(group);
}

static int by_cgroup__enable(struct backend_group *group)
{
	return switch_to(group, true);
}

static int by_cgroup__disable(struct backend_group *group)
{
	return switch_to(group, false);
}

/*
 * Returns the counts of the session's slots on a CPU, indexed by [slot][cell]. If the session has a
 * leader, computes the session's counts from the leader's sums in priv->sums.
 */
static const uint64_t *counts_of_slots(const struct cgroup_group *priv, int cpu)
{
	if (!priv->session)
		return priv->sums;
	cgroup_session__count(priv->session, cpu, priv->sums, priv->on, priv->own);
	return priv->own;
}

static void set_counts(struct backend_group *group, int cpu)
{
	const struct cgroup_group *priv = group->priv;
	const uint64_t *slots = counts_of_slots(priv, cpu);

	for (int subject = 0; subject < group->subjects->nr; subject++) {
		const uint64_t *cells =
			slots + (size_t)priv->slots->of[subject] * priv->plan->nr_cells;

		for (int event = 0; event < group->nr; event++) {
			const struct cgroup_counter *counter = &priv->plan->counters[event];
			struct reading total;

			/* the cells of an event that is not open may not exist */
			if (group->counts[event]->open_err)
				continue;
			total = (struct reading){
				.value = cells[counter->cell],
				.enabled = cells[counter->enabled],
				.running = cells[counter->running],
			};
			counts__set(group->counts[event], cpu, subject, &total);
		}
	}
}

/*
 * If cgroups were added since the previous reading, adds columns for them to the counts. Returns 0
 * or -ENOMEM.
 */
static int widen_counts(struct backend_group *group)
{
	int err = 0;

	for (int event = 0; !err && event < group->nr; event++)
		err = counts__widen(group->counts[event], group->subjects->nr);
	return err;
}

static int by_cgroup__read(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;
	int err = priv->on ? cgroup_group__flush(group) : 0;

	err = err ?: widen_counts(group);
	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++) {
		err = sum_up(priv, group->cpus->ids[cpu]);
		if (!err)
			set_counts(group, cpu);
	}
	return err;
}

static int by_cgroup__wake_fd(const struct backend_group *group)
{
	const struct cgroup_group *priv = group->priv;

	return cgroup_object__wake_fd(&priv->object);
}

/*
 * Called after tasks have moved to another cgroup, after cgroups have been created or removed, or
 * after the gate has opened or closed. Flushes all CPUs (reads their counters), so that the later
 * counts of a moved task belong to its current cgroup. With --cgroup-follow, also reserves slots
 * for new cgroups.
 */
static int by_cgroup__serve(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;
	int err = 0;

	cgroup_object__take_wakeups(&priv->object);
	/*
	 * the kernel may have woken only this session, so also flush the CPUs on which only other
	 * sessions count
	 */
	if (priv->session)
		err = cgroup_group__flush_leader(priv);
	else if (priv->on)
		err = cgroup_group__flush(group);
	if (!err && priv->follow) {
		err = cgroup_follow__after_flush(priv->follow);
		reason__set(group->why, err,
			    "--cgroup-follow: cannot reserve slots for new cgroups: %s",
			    strerror(-err));
	}
	return err;
}

/* ---- close ---- */

static void report_lost_groups(const struct cgroup_group *priv)
{
	uint64_t lost = cgroup_object__lost_messages(&priv->object);

	if (lost)
		pr_warn("--cgroup-follow: %" PRIu64
			" cgroups were made or removed too fast to be noticed",
			lost);
	if (cgroup_follow__turned_away(priv->follow))
		pr_warn("--cgroup-follow: %" PRIu64
			" cgroups had no row of their own, because there was no free slot: they "
			"were counted only as part of the cgroups above them",
			cgroup_follow__turned_away(priv->follow));
}

static void report_faults(const struct cgroup_group *priv)
{
	const struct cgroup_faults *before = &priv->before;
	struct cgroup_faults f;

	cgroup_group__find_faults(priv, &f);
	f.read_errors -= before->read_errors;
	f.elsewhere -= before->elsewhere;
	f.nested -= before->nested;
	f.switches -= before->switches;
	log__print((f.read_errors + f.elsewhere + f.nested) * 1000 > f.switches ? LOG_WARNING :
										  LOG_INFO,
		   "--for-each-cgroup: %" PRIu64 " context switches seen, %" PRIu64
		   " that the kernel did not report (%" PRIu64 " between counted "
		   "cgroups), %" PRIu64 " on CPUs that came online during the count; %" PRIu64
		   " readings of counters failed; %" PRIu64 " runs interrupted another run",
		   f.switches, f.unseen - before->unseen, f.guessed - before->guessed, f.elsewhere,
		   f.read_errors, f.nested);
}

/*
 * Returns a mask in which @nr bits are set, beginning with bit @first. Bits above bit 63 are
 * omitted.
 */
static uint64_t bits(uint32_t first, uint32_t nr)
{
	uint64_t mask = nr < 64 ? (1ULL << nr) - 1 : UINT64_MAX;

	return first < 64 ? mask << first : 0;
}

/*
 * Closes priv->object. If no session uses the BPF programs any longer, returns only after their
 * events have released the hardware counters, even if another session opened the events.
 * held-events.h explains why the release can take time.
 */
static void close_object(struct cgroup_group *priv)
{
	static const struct held_events none;
	const struct cgroup_sizes sizes = priv->object.sizes;
	uint32_t link_id = shared_link__id(priv->object.switch_fd);
	bool is_joined = priv->session && !priv->object.skel;
	int events_fd = is_joined && sizes.nr_timed ?
				fcntl(priv->object.events_fd, F_DUPFD_CLOEXEC, 0) :
				-1;

	cgroup_object__close(&priv->object);
	if (priv->session && !shared_link__is_gone(link_id))
		; /* other sessions still use the object */
	else if (is_joined && events_fd >= 0)
		held_events__release(&none, events_fd, bits(sizes.nr_plain, sizes.nr_timed),
				     sizes.nr_cpus);
	else
		event_fds__give_counters_back(priv->fds);
	if (events_fd >= 0)
		close(events_fd);
}

static void by_cgroup__close(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	if (!priv)
		return;
	*group->gate = NULL;
	if (priv->was_on)
		report_faults(priv);
	if (priv->was_on && priv->follow)
		report_lost_groups(priv);
	cgroup_follow__free(priv->follow);
	close_object(priv);
	if (priv->session)
		cgroup_group__leave();
	cgroup_session__free(priv->session);
	event_fds__close(priv->fds);
	free(priv->fd_group.evsels);
	free(priv->fd_group.counts);
	free(priv->fd_events);
	free(priv->is_open);
	cgroup_plan__free(priv->plan);
	cgroup_slots__free(priv->slots);
	cpumap__free(priv->possible);
	free(priv->own);
	free(priv->sums);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_cgroup = {
	.name = "cgroup",
	.by_subject = true,
	.probe = by_cgroup__probe,
	.open = by_cgroup__open,
	.enable = by_cgroup__enable,
	.read = by_cgroup__read,
	.wake_fd = by_cgroup__wake_fd,
	.serve = by_cgroup__serve,
	.cpus_changed = cgroup_group__cpus_changed,
	.disable = by_cgroup__disable,
	.close = by_cgroup__close,
};
