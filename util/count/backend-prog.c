// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting inside BPF programs. Each target gets one fentry and one fexit program for all events together (see
 * bpf_skel/prog_profiler.bpf.c); the events are opened once per CPU and shared by the targets.
 *
 *	evsels ─► perf fds, per CPU ─► events map ◄── shared ── fentry/fexit of target 1 ─► its own totals ─┐
 *	                                          ◄──────────── fentry/fexit of target 2 ─► its own totals ─┴► counts: the sum
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/prog_profiler.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/event-fds.h"
#include "util/count/prog-target.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/cpumap.h"

struct prog_group {
	struct event_fds *fds;
	struct cpumap *possible; /* per-CPU values of maps come in this order */
	int nr_targets;
	struct prog_target *targets;
	struct prog_shape shape; /* its events are those that are open: the BPF side knows no others */
	int *events;		 /* BPF side's event → index in the group */
	char *values;		 /* state of every possible CPU, as read from a map */
	bool on;		 /* the gate is open */
	bool was_on;		 /* … or has been */
	uint64_t enabled_at;	 /* ns, when it was opened last */
	uint64_t enabled_ns;	 /* how long it was open before that */
};

/* What went wrong with runs, over all targets and CPUs. */
struct prog_faults {
	uint64_t runs, lost, unpaired, read_errors, missed, elsewhere;
};

static int prog__probe(struct strbuf *why_not)
{
	uint32_t func_btf_id = 0;
	int fd = bpf_util__own_prog(&func_btf_id), err;

	if (fd < 0) {
		strbuf__addf(why_not, "no BPF program can be loaded: %s", strerror(-fd));
		return fd;
	}
	err = bpf_util__probe_fentry(fd, func_btf_id, why_not);
	close(fd);
	return err;
}

/* Numbers the open events for the BPF side. */
static int number_events(struct backend_group *group, struct prog_group *priv)
{
	priv->events = calloc((size_t)group->nr + 1, sizeof(int));
	if (!priv->events)
		return -ENOMEM;
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->tool == TOOL_NONE && !group->counts[event]->open_err)
			priv->events[priv->shape.nr_events++] = event;
	if (priv->shape.nr_events > PROG_MAX_EVENTS) {
		pr_err("-b: %d events are more than a run can be measured with (%d)", priv->shape.nr_events,
		       PROG_MAX_EVENTS);
		return -E2BIG;
	}
	priv->shape.value_size =
		sizeof(struct prog_state) + sizeof(struct reading) * (size_t)priv->shape.nr_events * PROG_ROWS;
	priv->shape.nr_cpus = cpumap__last(priv->possible) + 1;
	priv->values = calloc((size_t)priv->possible->nr, priv->shape.value_size);
	return priv->values ? 0 : -ENOMEM;
}

static int make_events_map(struct prog_group *priv)
{
	priv->shape.events_map = prog_shape__new_events_map(&priv->shape);
	if (priv->shape.events_map < 0)
		pr_err("-b: cannot make the map of the events: %s", strerror(-priv->shape.events_map));
	return priv->shape.events_map < 0 ? priv->shape.events_map : 0;
}

/* Hands the perf fds to the BPF side, keyed by CPU id. */
static int fill_events(const struct backend_group *group, const struct prog_group *priv)
{
	int map = priv->shape.events_map;
	int nr_cpus = priv->shape.nr_cpus;

	for (int i = 0; i < priv->shape.nr_events; i++) {
		for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
			__u32 key = (__u32)(i * nr_cpus + group->cpus->ids[cpu]);
			int fd = event_fds__get(priv->fds, priv->events[i], cpu, 0);

			if (fd >= 0 && bpf_map_update_elem(map, &key, &fd, BPF_ANY)) {
				int err = -errno;

				pr_err("%s on CPU %d: BPF cannot read this event: %s",
				       group->evsels[priv->events[i]]->name, group->cpus->ids[cpu], strerror(-err));
				return err;
			}
		}
	}
	return 0;
}

static struct prog_state *state_of(const struct prog_group *priv, int cpu_id)
{
	return (struct prog_state *)(priv->values +
				     priv->shape.value_size * (size_t)cpumap__index(priv->possible, cpu_id));
}

/* Runs on CPUs that are not to be counted are skipped by the BPF side, and those on CPUs that come online later are told of. */
static int skip_other_cpus(const struct backend_group *group, const struct prog_group *priv, bool chosen)
{
	__u32 other = chosen ? PROG_SKIP_UNWANTED : PROG_SKIP_NO_EVENTS;
	int err = 0;

	memset(priv->values, 0, priv->shape.value_size * (size_t)priv->possible->nr);
	for (int i = 0; i < priv->possible->nr; i++) {
		int cpu = priv->possible->ids[i];

		state_of(priv, cpu)->skip = cpumap__index(group->cpus, cpu) < 0 ? other : PROG_SKIP_NOT;
	}
	for (int i = 0; !err && i < priv->nr_targets; i++)
		err = prog_target__set_state(&priv->targets[i], priv->values);
	return err;
}

static int open_targets(struct prog_group *priv, const struct stat_config *cfg)
{
	int err = 0;

	priv->targets = calloc((size_t)cfg->nr_progs, sizeof(*priv->targets));
	if (!priv->targets)
		return -ENOMEM;
	for (int i = 0; !err && i < cfg->nr_progs; i++) {
		priv->nr_targets = i + 1;
		err = prog_target__find(&priv->targets[i], cfg->prog_ids[i]);
	}
	return err;
}

static int prog__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct event_open_how how = { .disabled = false };
	struct prog_group *priv = calloc(1, sizeof(*priv));
	int err;

	group->priv = priv;
	if (!priv)
		return -ENOMEM;
	priv->shape.events_map = -1;
	err = open_targets(priv, cfg);
	if (err)
		return err;
	err = cpumap__possible(sysroots__host(), &priv->possible);
	if (err) {
		pr_err("cannot read the list of possible CPUs: %s", strerror(-err));
		return err;
	}
	err = event_fds__open(group, &how, &priv->fds);
	err = err ?: number_events(group, priv);
	err = err ?: make_events_map(priv);
	err = err ?: fill_events(group, priv);
	for (int i = 0; !err && i < priv->nr_targets; i++)
		err = prog_target__load(&priv->targets[i], &priv->shape);
	err = err ?: skip_other_cpus(group, priv, cfg->cpus != NULL);
	for (int i = 0; !err && i < priv->nr_targets; i++)
		err = prog_target__attach(&priv->targets[i]);
	return err;
}

static void set_gate(struct prog_group *priv, bool open)
{
	for (int i = 0; i < priv->nr_targets; i++)
		prog_target__set_gate(&priv->targets[i], open);
}

static int prog__enable(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (!priv->on)
		priv->enabled_at = clock__now();
	priv->on = priv->was_on = true;
	set_gate(priv, true);
	return 0;
}

static uint64_t open_time(const struct prog_group *priv)
{
	return priv->enabled_ns + (priv->on ? clock__now() - priv->enabled_at : 0);
}

/* Adds what the state of one CPU holds to the readings of the group's events, and its runs to @runs. */
static void add_state(const struct backend_group *group, const struct prog_group *priv, int cpu, struct reading *sums,
		      uint64_t *runs)
{
	const struct prog_state *state = state_of(priv, group->cpus->ids[cpu]);
	const struct reading *totals = (const struct reading *)(state + 1) + PROG_ROW_TOTAL * priv->shape.nr_events;

	*runs += state->runs;
	for (int i = 0; i < priv->shape.nr_events; i++) {
		sums[i].value += totals[i].value;
		sums[i].enabled += totals[i].enabled;
		sums[i].running += totals[i].running;
	}
}

static void set_runs(struct backend_group *group, int cpu, uint64_t runs, uint64_t open_ns)
{
	struct reading total = { .value = runs, .enabled = open_ns, .running = open_ns };

	counts__set(group->run_cnt, cpu, 0, &total);
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->tool == TOOL_RUN_CNT)
			counts__set(group->counts[event], cpu, 0, &total);
}

static int prog__read(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	size_t nr = (size_t)priv->shape.nr_events, nr_cpus = (size_t)group->cpus->nr;
	struct reading *sums = calloc(nr * nr_cpus + 1, sizeof(*sums));
	uint64_t *runs = calloc(nr_cpus + 1, sizeof(*runs));
	uint64_t open_ns = open_time(priv);
	int err = sums && runs ? 0 : -ENOMEM;

	for (int target = 0; !err && target < priv->nr_targets; target++) {
		err = prog_target__read_state(&priv->targets[target], priv->values);
		for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
			add_state(group, priv, cpu, sums + nr * (size_t)cpu, &runs[cpu]);
	}
	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++) {
		set_runs(group, cpu, runs[cpu], open_ns);
		for (int i = 0; i < priv->shape.nr_events; i++)
			counts__set(group->counts[priv->events[i]], cpu, 0, &sums[nr * (size_t)cpu + (size_t)i]);
	}
	free(sums);
	free(runs);
	return err;
}

/* Adds those of one target. 0 or -errno, told. */
static int collect_faults(struct prog_group *priv, int target, struct prog_faults *faults)
{
	uint64_t seen = 0;
	int err = prog_target__read_state(&priv->targets[target], priv->values);

	for (int i = 0; !err && i < priv->possible->nr; i++) {
		const struct prog_state *state = state_of(priv, priv->possible->ids[i]);

		faults->runs += state->runs;
		faults->lost += state->lost;
		faults->unpaired += state->unpaired;
		faults->read_errors += state->read_errors;
		faults->elsewhere += state->elsewhere;
		seen += state->runs + state->lost + state->unpaired + state->read_errors + state->elsewhere;
	}
	faults->missed += prog_target__missed(&priv->targets[target]);
	if (!err && !seen)
		pr_warn("-b %u (%s): not one run was seen; one that is entered by a tail call cannot be",
			priv->targets[target].prog->id, priv->targets[target].prog->name);
	return err;
}

/* Under -v all of them; as a warning when more than one run in a thousand is not in the counts. */
static void tell_faults(struct prog_group *priv)
{
	struct prog_faults f = {};
	uint64_t wrong;

	for (int target = 0; target < priv->nr_targets; target++)
		if (collect_faults(priv, target, &f))
			return;
	wrong = f.lost + f.read_errors + f.missed + f.elsewhere;
	log__print(wrong * 1000 > f.runs ? LOG_WARNING : LOG_INFO,
		   "-b: %" PRIu64 " runs counted; not counted: %" PRIu64 " lost, %" PRIu64
		   " with a counter that could not be read, %" PRIu64 " missed by the kernel, %" PRIu64
		   " on CPUs that came online meanwhile; %" PRIu64 " ends whose begin was not seen",
		   f.runs, f.lost, f.read_errors, f.missed, f.elsewhere, f.unpaired);
}

static int prog__disable(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	set_gate(priv, false);
	priv->enabled_ns = open_time(priv);
	priv->on = false;
	return 0;
}

static void prog__close(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->was_on)
		tell_faults(priv);
	for (int i = 0; i < priv->nr_targets; i++)
		prog_target__close(&priv->targets[i]);
	free(priv->targets);
	if (priv->shape.events_map >= 0)
		close(priv->shape.events_map);
	event_fds__close(priv->fds);
	cpumap__free(priv->possible);
	free(priv->events);
	free(priv->values);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_prog = {
	.name = "prog",
	.probe = prog__probe,
	.open = prog__open,
	.enable = prog__enable,
	.read = prog__read,
	.disable = prog__disable,
	.close = prog__close,
};
