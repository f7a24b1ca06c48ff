// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting by control group in the kernel, at the context switch (see bpf_skel/cgroup_counter.bpf.c): each event is opened once per
 * CPU, for however many groups.
 *
 *	evsels of the first group ─► cgroup_plan: cells ─┐
 *	  those that need a counter ─► perf fds per CPU ─┼─► on_switch ─► rows[CPU][slot] ─► sums up the tree ─► counts of all evsels
 *	groups ─► cgroup_slots: slots, parents ──────────┘
 *
 * The events of the evlist stand there once for each group, in blocks: event i of block b is the same event as i of block 0.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend-cgroup-load.h"
#include "util/count/backend.h"
#include "util/count/cgroup-follow.h"
#include "util/count/cgroup-plan.h"
#include "util/count/cgroup-slots.h"
#include "util/count/counts.h"
#include "util/count/event-fds.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup.h"
#include "util/machine/cpumap.h"

struct cgroup_group {
	int nr_blocks, nr_events; /* the group has nr_blocks × nr_events evsels */
	bool v1;
	struct backend_group fd_group; /* the events of a block that need counters */
	struct event_fds *fds;
	int *fd_events; /* [event]: in fd_group, -1: not there */
	bool *is_open;	/* [event] */
	struct cgroup_plan *plan;
	struct cgroup_slots *slots;
	struct cgroup **places;	      /* [block] */
	struct cgroup_follow *follow; /* NULL: groups neither come nor go */
	struct cpumap *possible;
	struct cgroup_object object;
	bool on, was_on;
	uint64_t *own, *sums; /* [slot][cell] of the CPU at hand */
};

/* What went wrong, over all CPUs. */
struct cgroup_faults {
	uint64_t switches, unseen, guessed, read_errors, elsewhere, nested;
};

static int by_cgroup__probe(struct strbuf *why_not)
{
	const struct cgroup_sizes sizes = { .nr_cells = CGROUP_CELL_PLAIN, .nr_cpus = 1, .nr_slots = 1 };
	struct cgroup_object object = CGROUP_OBJECT_INIT;
	int err = cgroup_object__load(&object, &sizes, why_not);

	cgroup_object__close(&object);
	return err;
}

/* ---- open ---- */

static int find_blocks(const struct backend_group *group, struct cgroup_group *priv, const struct stat_config *cfg)
{
	struct cgroup **listed = calloc((size_t)cfg->nr_for_each + 1, sizeof(*listed));

	priv->places = listed;
	priv->nr_blocks = cfg->nr_for_each;
	priv->nr_events = group->nr / priv->nr_blocks;
	for (int block = 0; listed && block < priv->nr_blocks; block++)
		listed[block] = cfg->cgroups[group->evsels[block * priv->nr_events]->idx];
	if (listed) {
		priv->v1 = listed[0]->v1;
		priv->slots = cfg->cgroup_follow ? cgroup_slots__new_places(priv->nr_blocks) :
						   cgroup_slots__new(listed, priv->nr_blocks);
	}
	return priv->slots ? 0 : -ENOMEM;
}

/* The same reason for all blocks. */
static void mark_unsupported(struct backend_group *group, const struct cgroup_group *priv, int event)
{
	const struct counts *first = group->counts[event];

	for (int block = 1; block < priv->nr_blocks; block++) {
		struct counts *counts = group->counts[block * priv->nr_events + event];

		counts__set_unsupported(counts, first->open_err, first->why_not);
		counts->user_only = first->user_only;
	}
}

/* A counter of a whole package knows nothing of who runs on its CPUs. */
static bool refuse_uncore(struct backend_group *group, int event)
{
	const struct evsel *evsel = group->evsels[event];
	struct strbuf why = STRBUF_INIT;

	if (!evsel->is_uncore && !evsel->per_pkg && !evsel->snapshot)
		return false;
	strbuf__addf(&why, "%s: counts a package, and not what runs on a CPU: no control group can be told apart",
		     evsel->name);
	pr_info("%s", why.text);
	counts__set_unsupported(group->counts[event], -EINVAL, why.text);
	strbuf__free(&why);
	return true;
}

/* Opens what needs counters, for one block, and says which events can be counted. */
static int open_events(struct backend_group *group, struct cgroup_group *priv)
{
	struct event_open_how how = { .disabled = true };
	struct backend_group *fd_group = &priv->fd_group;
	int err;

	*fd_group = (struct backend_group){ .cpus = group->cpus };
	fd_group->evsels = calloc((size_t)priv->nr_events + 1, sizeof(*fd_group->evsels));
	fd_group->counts = calloc((size_t)priv->nr_events + 1, sizeof(*fd_group->counts));
	priv->fd_events = calloc((size_t)priv->nr_events + 1, sizeof(*priv->fd_events));
	priv->is_open = calloc((size_t)priv->nr_events + 1, sizeof(*priv->is_open));
	if (!fd_group->evsels || !fd_group->counts || !priv->fd_events || !priv->is_open)
		return -ENOMEM;
	for (int event = 0; event < priv->nr_events; event++) {
		priv->fd_events[event] = -1;
		if (refuse_uncore(group, event) || !cgroup_plan__needs_fd(group->evsels[event]))
			continue;
		priv->fd_events[event] = fd_group->nr;
		fd_group->evsels[fd_group->nr] = group->evsels[event];
		fd_group->counts[fd_group->nr++] = group->counts[event];
	}
	err = event_fds__open(fd_group, &how, &priv->fds);
	/* siblings that are added to a leader which counts already would begin late */
	err = err ?: event_fds__enable(priv->fds);
	for (int event = 0; !err && event < priv->nr_events; event++) {
		priv->is_open[event] = !group->counts[event]->open_err;
		mark_unsupported(group, priv, event);
	}
	return err;
}

static int load(struct cgroup_group *priv, bool follow)
{
	struct cgroup_sizes sizes = {
		.nr_plain = priv->plan->nr_plain,
		.nr_timed = priv->plan->nr_timed,
		.nr_cells = priv->plan->nr_cells,
		.nr_cpus = (uint32_t)cpumap__last(priv->possible) + 1,
		.nr_slots = priv->slots->nr,
		.v1 = priv->v1,
		.follow = follow,
	};
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_object__load(&priv->object, &sizes, &why);

	if (err)
		pr_err("--for-each-cgroup through BPF: %s\nleave out --bpf-counters and :b to count the native way",
		       why.text);
	strbuf__free(&why);
	return err;
}

/* Hands the perf fds to the BPF side, keyed by CPU id. */
static int fill_events(const struct backend_group *group, const struct cgroup_group *priv)
{
	uint32_t nr_cpus = (uint32_t)cpumap__last(priv->possible) + 1;

	for (int event = 0; event < priv->nr_events; event++) {
		const struct cgroup_counter *counter = &priv->plan->counters[event];
		uint32_t read = (uint32_t)counter->read + (counter->timed ? priv->plan->nr_plain : 0);

		if (counter->read < 0)
			continue;
		for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
			uint32_t key = read * nr_cpus + (uint32_t)group->cpus->ids[cpu];
			int fd = event_fds__get(priv->fds, priv->fd_events[event], cpu, 0);

			if (fd >= 0 && bpf_map_update_elem(priv->object.events_fd, &key, &fd, BPF_ANY)) {
				int err = -errno;

				pr_err("%s on CPU %d: BPF cannot read this event: %s", group->evsels[event]->name,
				       group->cpus->ids[cpu], strerror(-err));
				return err;
			}
		}
	}
	return 0;
}

static int fill_slots(const struct cgroup_group *priv)
{
	for (uint32_t slot = 1; slot < priv->slots->nr; slot++) {
		if (bpf_map_update_elem(priv->object.slots_fd, &priv->slots->ids[slot], &slot, BPF_ANY)) {
			int err = -errno;

			pr_err("--for-each-cgroup: cannot tell the kernel of %u control groups: %s",
			       priv->slots->nr - 1, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* CPUs that are not to be counted are left alone, and switches on those that come online later are told of. */
static void skip_other_cpus(const struct backend_group *group, const struct cgroup_group *priv, bool chosen)
{
	for (int i = 0; i < priv->possible->nr; i++) {
		int id = priv->possible->ids[i];

		if (cpumap__index(group->cpus, id) < 0)
			cgroup_object__cpu(&priv->object, id)->skip = chosen ? CGROUP_SKIP_UNWANTED :
									       CGROUP_SKIP_NO_EVENTS;
	}
}

static int attach(struct cgroup_group *priv)
{
	struct strbuf why = STRBUF_INIT;
	int err = cgroup_object__attach(&priv->object, &why);

	if (err)
		pr_err("--for-each-cgroup through BPF: %s", why.text);
	strbuf__free(&why);
	return err;
}

static int make_plan(const struct backend_group *group, struct cgroup_group *priv)
{
	priv->plan = cgroup_plan__new(group->evsels, priv->is_open, priv->nr_events);
	if (priv->plan) {
		priv->own = calloc((size_t)priv->slots->nr * priv->plan->nr_cells, sizeof(*priv->own));
		priv->sums = calloc((size_t)priv->slots->nr * priv->plan->nr_cells, sizeof(*priv->sums));
	}
	return priv->own && priv->sums ? 0 : -ENOMEM;
}

/* cgroup_reused_fn: the block counts another group from now on, from zero. */
static void reset_block(void *ctx, int block)
{
	struct backend_group *group = ctx;
	const struct cgroup_group *priv = group->priv;

	for (int event = 0; event < priv->nr_events; event++) {
		struct counts *counts = group->counts[block * priv->nr_events + event];

		counts__reset(counts);
		counts__set_unsupported(counts, group->counts[event]->open_err, group->counts[event]->why_not);
	}
}

static int start_following(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = group->priv;
	int err = cgroup_follow__new(cfg, priv->places, priv->slots, &priv->object, reset_block, group, &priv->follow);

	return err ?: cgroup_follow__scan(priv->follow);
}

static int by_cgroup__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct cgroup_group *priv = calloc(1, sizeof(*priv));
	int err = priv ? cpumap__possible(sysroots__host(), &priv->possible) : -ENOMEM;

	group->priv = priv;
	if (priv) {
		priv->object = (struct cgroup_object)CGROUP_OBJECT_INIT;
		if (err)
			pr_err("cannot read the list of possible CPUs: %s", strerror(-err));
	}
	err = err ?: find_blocks(group, priv, cfg);
	err = err ?: open_events(group, priv);
	err = err ?: make_plan(group, priv);
	err = err ?: load(priv, cfg->cgroup_follow);
	err = err ?: fill_events(group, priv);
	if (!err && !cfg->cgroup_follow)
		err = fill_slots(priv);
	if (!err)
		skip_other_cpus(group, priv, cfg->cpus != NULL);
	err = err ?: attach(priv);
	if (!err && cfg->cgroup_follow)
		err = start_following(group, cfg);
	if (err == -ENOMEM)
		pr_err("out of memory for %d control groups", cfg->nr_for_each);
	return err;
}

/* ---- while it counts ---- */

/* What runs now is charged for the time until now. A CPU that went offline has nothing to settle. */
static int settle(const struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		int err = cgroup_object__settle(&priv->object, group->cpus->ids[cpu]);

		if (err && err != -ENXIO) {
			pr_err("--for-each-cgroup: the counting program cannot be run on CPU %d: %s",
			       group->cpus->ids[cpu], strerror(-err));
			return err;
		}
	}
	return 0;
}

static int by_cgroup__enable(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	priv->on = priv->was_on = true;
	cgroup_object__enable(&priv->object, true);
	return settle(group);
}

static int by_cgroup__disable(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	priv->on = false;
	cgroup_object__enable(&priv->object, false);
	return settle(group);
}

static void sum_up(const struct cgroup_group *priv, int cpu_id)
{
	uint32_t nr_cells = priv->plan->nr_cells;
	const volatile uint64_t *row = cgroup_object__row(&priv->object, cpu_id, 0);

	for (size_t cell = 0; cell < (size_t)priv->slots->nr * nr_cells; cell++)
		priv->own[cell] = row[cell];
	if (priv->follow)
		cgroup_follow__adjust(priv->follow, cpu_id, priv->own);
	cgroup_slots__add_up(priv->slots, priv->own, priv->sums, nr_cells);
}

static void set_counts(struct backend_group *group, int cpu)
{
	const struct cgroup_group *priv = group->priv;

	for (int i = 0; i < group->nr; i++) {
		const struct cgroup_counter *counter = &priv->plan->counters[i % priv->nr_events];
		const uint64_t *sums = priv->sums + (size_t)priv->slots->of[i / priv->nr_events] * priv->plan->nr_cells;
		struct reading total = {
			.value = sums[counter->cell],
			.enabled = sums[counter->enabled],
			.running = sums[counter->running],
		};

		if (!group->counts[i]->open_err)
			counts__set(group->counts[i], cpu, 0, &total);
	}
}

static int by_cgroup__read(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;
	int err = priv->on ? settle(group) : 0;

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++) {
		sum_up(priv, group->cpus->ids[cpu]);
		set_counts(group, cpu);
	}
	return err;
}

static int by_cgroup__wake_fd(const struct backend_group *group)
{
	const struct cgroup_group *priv = group->priv;

	return cgroup_object__wake_fd(&priv->object);
}

/* Tasks have moved, perhaps while they ran, or groups are new: from here on their CPUs charge the groups that they are in now. */
static int by_cgroup__serve(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	int err;

	cgroup_object__take_wakeups(&priv->object);
	err = priv->on ? settle(group) : 0;
	if (!err && priv->follow) {
		err = cgroup_follow__settled(priv->follow);
		if (err)
			pr_err("--cgroup-follow: cannot make room for control groups to come: %s", strerror(-err));
	}
	return err;
}

/* ---- close ---- */

static void tell_faults(const struct cgroup_group *priv)
{
	uint64_t lost = cgroup_object__lost_messages(&priv->object);
	struct cgroup_faults f = {};

	if (lost)
		pr_warn("--cgroup-follow: %" PRIu64 " control groups were made or removed too fast to be taken up",
			lost);
	if (priv->follow && cgroup_follow__turned_away(priv->follow))
		pr_warn("--cgroup-follow: %" PRIu64 " control groups found no room",
			cgroup_follow__turned_away(priv->follow));

	for (int i = 0; i < priv->possible->nr; i++) {
		const struct cgroup_cpu *cpu = cgroup_object__cpu(&priv->object, priv->possible->ids[i]);

		f.switches += cpu->switches;
		f.unseen += cpu->unseen;
		f.guessed += cpu->guessed;
		f.read_errors += cpu->read_errors;
		f.elsewhere += cpu->elsewhere;
		f.nested += cpu->nested;
	}
	log__print((f.read_errors + f.elsewhere + f.nested) * 1000 > f.switches ? LOG_WARNING : LOG_INFO,
		   "--for-each-cgroup: %" PRIu64 " context switches seen, %" PRIu64
		   " that the kernel told nobody of (%" PRIu64 " between counted groups), %" PRIu64
		   " on CPUs that came online meanwhile; %" PRIu64 " readings of counters failed; %" PRIu64
		   " runs found another at work",
		   f.switches, f.unseen, f.guessed, f.elsewhere, f.read_errors, f.nested);
}

static void by_cgroup__close(struct backend_group *group)
{
	struct cgroup_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->was_on)
		tell_faults(priv);
	cgroup_follow__free(priv->follow);
	cgroup_object__close(&priv->object);
	event_fds__close(priv->fds);
	free(priv->fd_group.evsels);
	free(priv->fd_group.counts);
	free(priv->fd_events);
	free(priv->is_open);
	cgroup_plan__free(priv->plan);
	cgroup_slots__free(priv->slots);
	cpumap__free(priv->possible);
	free(priv->places);
	free(priv->own);
	free(priv->sums);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_cgroup = {
	.name = "cgroup",
	.probe = by_cgroup__probe,
	.open = by_cgroup__open,
	.enable = by_cgroup__enable,
	.read = by_cgroup__read,
	.wake_fd = by_cgroup__wake_fd,
	.serve = by_cgroup__serve,
	.disable = by_cgroup__disable,
	.close = by_cgroup__close,
};
