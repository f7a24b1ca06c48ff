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
#include "util/count/prog-list.h"
#include "util/count/prog-refs.h"
#include "util/count/prog-rows.h"
#include "util/count/prog-sums.h"
#include "util/count/prog-target.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/bpf-prog-facts.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/cpumap.h"

/* What went wrong with runs, over all targets and CPUs. */
struct prog_faults {
	uint64_t runs, lost, unpaired, read_errors, missed, elsewhere;
};

struct prog_group {
	struct event_fds *fds;
	struct cpumap *possible; /* per-CPU values of maps come in this order */
	struct prog_list list;
	struct prog_shape shape; /* its events are those that are open: the BPF side knows no others */
	int *events;		 /* BPF side's event → index in the group */
	char *values;		 /* state of every possible CPU, as read from a map */
	bool on;		 /* the gate is open */
	bool was_on;		 /* … or has been */
	uint64_t enabled_at;	 /* ns, when it was opened last */
	uint64_t enabled_ns;	 /* how long it was open before that */
	const struct stat_config *cfg;
	struct prog_refs *refs;	   /* with --follow; NULL where they cannot be read */
	struct prog_sums kept;	   /* of programs that have gone */
	struct prog_faults faults; /* of the same */
	unsigned int rounds;	   /* since the references were looked at */
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
static int skip_other_cpus(const struct backend_group *group, const struct prog_target *target)
{
	const struct prog_group *priv = group->priv;
	__u32 other = priv->cfg->cpus ? PROG_SKIP_UNWANTED : PROG_SKIP_NO_EVENTS;

	memset(priv->values, 0, priv->shape.value_size * (size_t)priv->possible->nr);
	for (int i = 0; i < priv->possible->nr; i++) {
		int cpu = priv->possible->ids[i];

		state_of(priv, cpu)->skip = cpumap__index(group->cpus, cpu) < 0 ? other : PROG_SKIP_NOT;
	}
	return prog_target__set_state(target, priv->values);
}

/* Of one that was found by a pattern and cannot be counted after all, the others go on. */
static int attach_from(struct backend_group *group, int first)
{
	struct prog_group *priv = group->priv;
	struct prog_list *list = &priv->list;

	for (int i = first; i < list->nr;) {
		struct prog_target *target = &list->entries[i].target;
		int err = prog_target__load(target, &priv->shape);

		err = err ?: skip_other_cpus(group, target);
		err = err ?: prog_target__attach(target);
		if (!err)
			prog_target__set_gate(target, priv->on);
		if (err && !list->entries[i].by_pattern)
			return err;
		if (err)
			prog_list__drop(list, i);
		else
			i++;
	}
	return 0;
}

/* There is no program yet: can one that comes be counted at all? */
static int expect_fentry(void)
{
	struct strbuf why = STRBUF_INIT;
	int err = prog__probe(&why);

	if (err)
		pr_err("-b: %s\n`pstat --version -vv` shows what this kernel allows", why.text);
	strbuf__free(&why);
	return err;
}

/* Without them programs that have gone are held until the end, and no other takes over their rows. */
static void find_refs(struct prog_group *priv)
{
	struct strbuf why = STRBUF_INIT;

	if (prog_refs__new(&priv->refs, &why))
		pr_info("--follow: %s", why.text);
	strbuf__free(&why);
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
	priv->cfg = cfg;
	priv->list.selection = cfg->progs;
	err = prog_list__find(&priv->list, cfg->follow_progs);
	if (!err && !priv->list.nr)
		err = expect_fentry();
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
	err = err ?: attach_from(group, 0);
	/* those that are there at the start are told apart, whatever becomes of them */
	err = err ?: prog_list__settle_rows(&priv->list, group->progs, false);
	if (!err && cfg->follow_progs)
		find_refs(priv);
	return err;
}

static void set_gate(struct prog_group *priv, bool open)
{
	for (int i = 0; i < priv->list.nr; i++)
		prog_target__set_gate(&priv->list.entries[i].target, open);
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

/* ---- sums ---- */

static struct prog_sums sums__new(const struct backend_group *group)
{
	const struct prog_group *priv = group->priv;

	return (struct prog_sums){ .nr_cpus = group->cpus->nr, .nr_events = priv->shape.nr_events };
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

/* Adds what @entry has counted to its row. 0 or -errno, told. */
static int add_entry(const struct backend_group *group, const struct prog_entry *entry, struct prog_sums *sums)
{
	const struct prog_group *priv = group->priv;
	int err = prog_target__read_state(&entry->target, priv->values);

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
		add_state(group, priv, cpu, prog_sums__readings(sums, entry->row, cpu),
			  prog_sums__runs(sums, entry->row, cpu));
	return err;
}

static int nr_rows(const struct backend_group *group)
{
	return group->progs ? group->progs->nr : 1;
}

/* What has gone and what is there. */
static int sum_up(const struct backend_group *group, struct prog_sums *sums)
{
	const struct prog_group *priv = group->priv;
	int err = prog_sums__widen(sums, nr_rows(group));

	if (!err)
		prog_sums__add(sums, &priv->kept);
	for (int i = 0; !err && i < priv->list.nr; i++)
		err = add_entry(group, &priv->list.entries[i], sums);
	return err;
}

static void set_runs(struct backend_group *group, int cpu, int row, uint64_t runs, uint64_t open_ns)
{
	struct reading total = { .value = runs, .enabled = open_ns, .running = open_ns };

	counts__set(group->run_cnt, cpu, row, &total);
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->tool == TOOL_RUN_CNT)
			counts__set(group->counts[event], cpu, row, &total);
}

static int widen_counts(struct backend_group *group)
{
	int err = counts__widen(group->run_cnt, nr_rows(group));

	for (int event = 0; !err && event < group->nr; event++)
		err = counts__widen(group->counts[event], nr_rows(group));
	return err;
}

/* Which programs have gone matters when others wait for their rows. */
static void look_at_refs(struct prog_group *priv)
{
	if (priv->refs && !prog_refs__read(priv->refs))
		prog_list__note_gone(&priv->list, priv->refs);
}

static int settle_rows(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (prog_list__is_waiting(&priv->list, group->progs))
		look_at_refs(priv);
	return prog_list__settle_rows(&priv->list, group->progs, false);
}

/* What a row counted on one CPU, to the counts. */
static void set_counts(struct backend_group *group, const struct prog_sums *sums, int row, int cpu, uint64_t open_ns)
{
	const struct prog_group *priv = group->priv;
	const struct reading *readings = prog_sums__readings(sums, row, cpu);

	set_runs(group, cpu, row, *prog_sums__runs(sums, row, cpu), open_ns);
	for (int i = 0; i < sums->nr_events; i++)
		counts__set(group->counts[priv->events[i]], cpu, row, &readings[i]);
}

static int prog__read(struct backend_group *group)
{
	struct prog_sums sums = sums__new(group);
	uint64_t open_ns = open_time(group->priv);
	int err = settle_rows(group);

	err = err ?: widen_counts(group);
	err = err ?: sum_up(group, &sums);
	for (int row = 0; !err && row < nr_rows(group); row++)
		for (int cpu = 0; cpu < group->cpus->nr; cpu++)
			set_counts(group, &sums, row, cpu, open_ns);
	prog_sums__free(&sums);
	return err;
}

/* ---- faults ---- */

/* A run that is entered by a tail call is not seen: was there one who could make it? */
static void tell_unseen(const struct prog_entry *entry)
{
	const struct bpf_prog *prog = entry->target.prog;
	struct prog_holders arrays;
	int nr = 0;

	if (prog_holders__prog_arrays(&arrays))
		return;
	if (prog_holders__of(&arrays, prog->id, &nr))
		pr_warn("-b %u (%s): not one run was seen; it is in a prog array, and one that is entered by a tail "
			"call "
			"cannot be seen: its cost is in the program that makes the call",
			prog->id, prog->name);
	else if (!entry->by_pattern)
		pr_warn("-b %u (%s): not one run was seen; one that is entered by a tail call cannot be", prog->id,
			prog->name);
	prog_holders__free(&arrays);
}

/* Adds those of one target. 0 or -errno, told. */
static int collect_faults(struct prog_group *priv, const struct prog_entry *entry, struct prog_faults *faults)
{
	uint64_t seen = 0;
	int err = prog_target__read_state(&entry->target, priv->values);

	for (int i = 0; !err && i < priv->possible->nr; i++) {
		const struct prog_state *state = state_of(priv, priv->possible->ids[i]);

		faults->runs += state->runs;
		faults->lost += state->lost;
		faults->unpaired += state->unpaired;
		faults->read_errors += state->read_errors;
		faults->elsewhere += state->elsewhere;
		seen += state->runs + state->lost + state->unpaired + state->read_errors + state->elsewhere;
	}
	faults->missed += prog_target__missed(&entry->target);
	if (!err && !seen)
		tell_unseen(entry);
	return err;
}

/* Under -v all of them; as a warning when more than one run in a thousand is not in the counts. */
static void tell_faults(struct prog_group *priv)
{
	struct prog_faults f = priv->faults;
	uint64_t wrong;

	for (int i = 0; i < priv->list.nr; i++)
		if (collect_faults(priv, &priv->list.entries[i], &f))
			return;
	wrong = f.lost + f.read_errors + f.missed + f.elsewhere;
	log__print(wrong * 1000 > f.runs ? LOG_WARNING : LOG_INFO,
		   "-b: %" PRIu64 " runs counted; not counted: %" PRIu64 " lost, %" PRIu64
		   " with a counter that could not be read, %" PRIu64 " missed by the kernel, %" PRIu64
		   " on CPUs that came online meanwhile; %" PRIu64 " ends whose begin was not seen",
		   f.runs, f.lost, f.read_errors, f.missed, f.elsewhere, f.unpaired);
}

/* ---- programs that come and go (--follow) ---- */

/* Keeps what the entry at @place has counted, and lets it go. */
static int retire(struct backend_group *group, int place)
{
	struct prog_group *priv = group->priv;
	const struct prog_entry *entry = &priv->list.entries[place];
	int err;

	if (!priv->kept.nr_rows)
		priv->kept = sums__new(group);
	err = prog_sums__widen(&priv->kept, nr_rows(group));

	err = err ?: add_entry(group, entry, &priv->kept);
	err = err ?: collect_faults(priv, entry, &priv->faults);
	if (!err)
		prog_list__drop(&priv->list, place);
	return err;
}

/* A run that was in flight when the last reference went has ended by the next time that this is looked at. */
static int retire_the_gone(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int err;

	for (int i = 0; i < priv->list.nr; i++)
		priv->list.entries[i].was_gone = priv->list.entries[i].gone;
	look_at_refs(priv);
	err = prog_list__settle_rows(&priv->list, group->progs, true);
	for (int i = priv->list.nr - 1; !err && i >= 0; i--) {
		const struct prog_entry *entry = &priv->list.entries[i];

		if (entry->gone && entry->was_gone)
			err = retire(group, i);
	}
	return err;
}

#define ROUNDS_PER_LOOK 10

static int prog__tend(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int had = priv->list.nr, err;

	if (!priv->cfg->follow_progs)
		return 0;
	err = prog_list__find_new(&priv->list);
	if (!err && priv->list.nr > had)
		err = attach_from(group, had);
	if (!err && ++priv->rounds >= ROUNDS_PER_LOOK) {
		priv->rounds = 0;
		err = retire_the_gone(group);
	}
	return err;
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
	prog_list__free(&priv->list);
	prog_refs__free(priv->refs);
	prog_sums__free(&priv->kept);
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
	.tend = prog__tend,
	.disable = prog__disable,
	.close = prog__close,
};
