// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting inside BPF programs. Each target gets one fentry and one fexit program for all events together (see
 * bpf_skel/prog_profiler.bpf.c); the events are opened once per CPU and shared by the targets, and so are the runs in flight.
 *
 *	evsels ─► perf fds, per CPU ─► events map ◄─ fentry/fexit of target 1 ─► its totals ─┐
 *	                     │                    ◄─ fentry/fexit of target 2 ─► its totals ─┴► sums ─► counts
 *	                     └─ read(2) ─► times ───────────────────────────────────────────────────────┘
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/prog-calibrate.h"
#include "util/count/prog-faults.h"
#include "util/count/prog-fds.h"
#include "util/count/outliers.h"
#include "util/count/prog-kernel.h"
#include "util/count/prog-list.h"
#include "util/count/prog-outliers.h"
#include "util/count/prog-refs.h"
#include "util/count/prog-rows.h"
#include "util/count/prog-shape.h"
#include "util/count/prog-shared.h"
#include "util/count/prog-single.h"
#include "util/count/prog-sums.h"
#include "util/count/prog-target.h"
#include "util/count/prog-times.h"
#include "util/count/prog-totals.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/bpf-prog.h"
#include "util/machine/cpumap.h"

struct prog_group {
	struct prog_fds *fds;
	struct cpumap *possible; /* per-CPU values of maps come in this order */
	struct prog_list list;
	struct prog_shape shape;
	struct prog_switch *on_switch; /* NULL where no run can lose its CPU */
	struct prog_snapshot *snapshot;
	struct prog_times *times;
	struct prog_outliers *outliers; /* NULL without --outliers */
	uint64_t *runs;			/* [CPU], as read last */
	uint32_t gate;			/* 0 while nothing counts; else, and before, how often it was opened */
	uint32_t opened;
	uint64_t enabled_at; /* ns, when it was opened last */
	uint64_t enabled_ns; /* how long it was open before that */
	const struct stat_config *cfg;
	struct prog_refs *refs; /* with --follow; NULL where they cannot be read */
	struct prog_sums kept;	/* of programs that have gone */
	struct hist_rows kept_hist;
	struct prog_faults faults; /* of the same */
	unsigned int rounds;	   /* since the references were looked at */
};

/* There may be no program yet: can one that comes be counted at all? */
static int expect_fentry(void)
{
	struct strbuf why = STRBUF_INIT;
	int err = bpf_util__probe_trampoline(&why);

	if (err)
		pr_err("-b: %s\n`pstat --version -vv` shows what this kernel allows", why.text);
	strbuf__free(&why);
	return err;
}

static int find_progs(struct prog_group *priv)
{
	int err;

	priv->list.selection = priv->cfg->progs;
	err = prog_list__find(&priv->list, priv->cfg->follow_progs);
	return err ?: priv->list.nr ? 0 : expect_fentry();
}

/* Without them programs that have gone are held until the end, and no other takes over their rows. */
static void find_refs(struct prog_group *priv)
{
	struct strbuf why = STRBUF_INIT;

	if (prog_refs__new(&priv->refs, &why))
		pr_info("--follow: %s", why.text);
	strbuf__free(&why);
}

static int follow_switches(struct prog_group *priv)
{
	bool needed = prog_switch__kernel_preempts();

	if (priv->on_switch || !priv->list.nr)
		return 0;
	for (int i = 0; i < priv->list.nr; i++)
		needed |= prog_switch__may_sleep(priv->list.entries[i].target.prog);
	return needed ? prog_switch__attach(&priv->shape, &priv->on_switch) : 0;
}

/* From the entry at @first on. Of one that was found by a pattern and cannot be counted after all, the others go on. */
static int for_each_from(struct prog_group *priv, int first, int (*step)(struct prog_group *, struct prog_target *))
{
	struct prog_list *list = &priv->list;

	for (int i = first; i < list->nr;) {
		int err = step(priv, &list->entries[i].target);

		if (err && !list->entries[i].by_pattern)
			return err;
		if (err)
			prog_list__drop(list, i);
		else
			i++;
	}
	return 0;
}

static int load_target(struct prog_group *priv, struct prog_target *target)
{
	return prog_target__load(target, &priv->shape);
}

static int attach_target(struct prog_group *priv, struct prog_target *target)
{
	int err = prog_target__attach(target);

	if (!err)
		prog_target__set_gate(target, priv->gate);
	return err;
}

static int attach_from(struct prog_group *priv, int first)
{
	int err = for_each_from(priv, first, load_target);

	err = err ?: follow_switches(priv);
	return err ?: for_each_from(priv, first, attach_target);
}

static int make_tables(struct backend_group *group, struct prog_group *priv)
{
	priv->snapshot = prog_snapshot__new(&priv->shape, priv->possible);
	priv->times = prog_times__new(group, &priv->shape, priv->fds);
	priv->runs = calloc((size_t)group->cpus->nr + 1, sizeof(*priv->runs));
	if (priv->snapshot && priv->times && priv->runs)
		return 0;
	pr_err("out of memory for what %d events count", group->nr);
	return -ENOMEM;
}

static int prog__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct prog_group *priv = calloc(1, sizeof(*priv));
	int err;

	group->priv = priv;
	if (!priv) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	priv->cfg = cfg;
	prog_shape__init(&priv->shape);
	prog_single__want_time(&priv->shape, cfg);
	err = find_progs(priv);
	if (!err && cfg->outliers && cfg->outliers->packet)
		err = prog_kernel__look(sysroots__host(), &priv->shape.kernel) ?:
			      prog_single__check_packets(&priv->shape.kernel, &priv->list, cfg->follow_progs);
	if (err)
		return err;
	err = cpumap__possible(sysroots__host(), &priv->possible);
	if (err) {
		pr_err("cannot read the list of possible CPUs: %s", strerror(-err));
		return err;
	}
	err = prog_fds__open(group, cfg, &priv->fds);
	err = err ?: prog_shape__place_events(&priv->shape, group, priv->fds);
	err = err ?: prog_single__place(&priv->shape, group, cfg);
	err = err ?: prog_shared__make_maps(&priv->shape, group, priv->fds, priv->possible, cfg);
	err = err ?: make_tables(group, priv);
	err = err ?: prog_outliers__new(group, &priv->shape, priv->fds, &priv->list, priv->possible, &priv->outliers);
	/* without it the counts are still good */
	if (!err && !cfg->no_calibrate)
		prog_calibrate(&priv->shape, group, priv->fds, priv->possible);
	err = err ?: attach_from(priv, 0);
	/* those that are there at the start are told apart, whatever becomes of them */
	err = err ?: prog_list__settle_rows(&priv->list, group->progs, false);
	if (!err && cfg->follow_progs)
		find_refs(priv);
	return err;
}

static void set_gate(const struct prog_group *priv, uint32_t gate)
{
	for (int i = 0; i < priv->list.nr; i++)
		prog_target__set_gate(&priv->list.entries[i].target, gate);
}

static int prog__enable(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (priv->gate)
		return 0;
	prog_times__start(priv->times);
	priv->enabled_at = clock__now();
	priv->gate = ++priv->opened;
	set_gate(priv, priv->gate);
	return 0;
}

static uint64_t open_time(const struct prog_group *priv)
{
	return priv->enabled_ns + (priv->gate ? clock__now() - priv->enabled_at : 0);
}

/* ---- sums ---- */

static struct prog_sums sums__new(const struct backend_group *group)
{
	return (struct prog_sums){ .nr_cpus = group->cpus->nr, .nr_events = group->nr };
}

static int nr_rows(const struct backend_group *group)
{
	return group->progs ? group->progs->nr : 1;
}

/* Adds what @entry has counted to its row, and how its runs are distributed to that of @hist. 0 or -errno, told. */
static int add_entry(const struct backend_group *group, const struct prog_entry *entry, struct prog_sums *sums,
		     struct hist_rows *hist)
{
	const struct prog_group *priv = group->priv;
	int err = prog_snapshot__take(priv->snapshot, &entry->target);

	if (!err)
		prog_snapshot__add_to(priv->snapshot, group, entry->row, sums);
	if (!err && group->hist && priv->shape.hist_word >= 0)
		prog_snapshot__add_hist(priv->snapshot, group, &hist->rows[entry->row]);
	return err;
}

static int sum_up(const struct backend_group *group, struct prog_sums *sums)
{
	const struct prog_group *priv = group->priv;
	int err = prog_sums__widen(sums, nr_rows(group));

	if (!err)
		prog_sums__add(sums, &priv->kept);
	if (!err && group->hist)
		hist_rows__begin(group->hist, &priv->kept_hist);
	for (int i = 0; !err && i < priv->list.nr; i++)
		err = add_entry(group, &priv->list.entries[i], sums, group->hist);
	return err;
}

static uint64_t runs_on(const struct backend_group *group, const struct prog_sums *sums, int cpu)
{
	uint64_t runs = 0;

	for (int row = 0; row < nr_rows(group); row++)
		runs += *prog_sums__runs(sums, row, cpu);
	return runs;
}

/* The times go on where there were runs since the last reading, and while the gate is open. */
static void advance_times(const struct backend_group *group, const struct prog_sums *sums)
{
	struct prog_group *priv = group->priv;

	for (int cpu = 0; priv->gate && cpu < group->cpus->nr; cpu++) {
		uint64_t runs = runs_on(group, sums, cpu);

		prog_times__advance(priv->times, cpu, runs != priv->runs[cpu]);
		priv->runs[cpu] = runs;
	}
}

/* What a row counted on one CPU, to the counts. */
static void set_counts(struct backend_group *group, const struct prog_sums *sums, int row, int cpu, uint64_t open_ns)
{
	const struct prog_group *priv = group->priv;
	const struct reading *readings = prog_sums__readings(sums, row, cpu);
	const uint64_t *costs = prog_sums__costs(sums, row, cpu);
	struct reading runs = { .value = *prog_sums__runs(sums, row, cpu), .enabled = open_ns, .running = open_ns };

	counts__set(group->run_cnt, cpu, row, &runs);
	for (int event = 0; event < group->nr; event++) {
		enum prog_kind kind = priv->shape.events[event].kind;
		struct reading sum = readings[event];

		if (kind == PROG_CLOCK || kind == PROG_PLAIN)
			prog_times__fill(priv->times, event, cpu, &sum);
		if (kind != PROG_NONE)
			prog_sums__take_off(&sum, costs[event]);
		if (group->evsels[event]->tool == TOOL_RUN_CNT)
			sum.enabled = sum.running = open_ns;
		counts__set_rising(group->counts[event], cpu, row, &sum);
	}
}

static int widen_counts(struct backend_group *group)
{
	int err = counts__widen(group->run_cnt, nr_rows(group));

	if (!err && group->hist)
		err = hist_rows__widen(group->hist, nr_rows(group));

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

static int prog__read(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	struct prog_sums sums = sums__new(group);
	int err = settle_rows(group);

	err = err ?: widen_counts(group);
	err = err ?: sum_up(group, &sums);
	if (!err)
		advance_times(group, &sums);
	for (int row = 0; !err && row < nr_rows(group); row++)
		for (int cpu = 0; cpu < group->cpus->nr; cpu++)
			set_counts(group, &sums, row, cpu, open_time(priv));
	prog_sums__free(&sums);
	return err;
}

static int prog__disable(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int err;

	if (!priv->gate)
		return 0;
	/* first the gate, then the last reading: what ended before is in it, and nothing comes after */
	set_gate(priv, 0);
	err = prog_outliers__finish(priv->outliers);
	err = err ?: prog__read(group);
	priv->enabled_ns = open_time(priv);
	priv->gate = 0;
	return err;
}

static void add_faults(const struct prog_group *priv, const struct prog_entry *entry, struct prog_faults *faults)
{
	if (!prog_faults__add(faults, &entry->target, priv->snapshot, priv->possible))
		prog_faults__tell_unseen(&entry->target, entry->by_pattern);
}

static void tell_faults(const struct prog_group *priv)
{
	struct prog_faults faults = priv->faults;

	faults.lost += prog_shared__lost(&priv->shape, priv->possible);
	for (int i = 0; i < priv->list.nr; i++) {
		if (prog_snapshot__take(priv->snapshot, &priv->list.entries[i].target))
			return;
		add_faults(priv, &priv->list.entries[i], &faults);
	}
	prog_faults__tell(&faults);
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
	if (!err && group->hist)
		err = hist_rows__widen(&priv->kept_hist, nr_rows(group));
	err = err ?: add_entry(group, entry, &priv->kept, &priv->kept_hist);
	if (err)
		return err;
	add_faults(priv, entry, &priv->faults);
	prog_list__drop(&priv->list, place);
	return 0;
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
	for (int i = priv->list.nr - 1; !err && i >= 0; i--)
		if (priv->list.entries[i].gone && priv->list.entries[i].was_gone)
			err = retire(group, i);
	return err;
}

#define ROUNDS_PER_LOOK 10

static int prog__tend(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int had = priv->list.nr, err;

	err = prog_outliers__adapt(priv->outliers, priv->snapshot);
	if (err || !priv->cfg->follow_progs)
		return err;
	/* those that go take their names with them */
	err = prog_outliers__drain(priv->outliers);
	err = err ?: prog_list__find_new(&priv->list);
	if (!err && priv->list.nr > had)
		err = attach_from(priv, had);
	if (!err && ++priv->rounds >= ROUNDS_PER_LOOK) {
		priv->rounds = 0;
		err = retire_the_gone(group);
	}
	return err;
}

static int prog__wake_fd(const struct backend_group *group)
{
	const struct prog_group *priv = group->priv;

	return priv ? prog_outliers__wake_fd(priv->outliers) : -1;
}

static int prog__serve(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	return prog_outliers__drain(priv->outliers);
}

static void prog__close(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->opened)
		tell_faults(priv);
	prog_outliers__free(priv->outliers);
	prog_list__free(&priv->list);
	prog_refs__free(priv->refs);
	prog_sums__free(&priv->kept);
	hist_rows__reset(&priv->kept_hist);
	prog_switch__detach(priv->on_switch);
	prog_times__free(priv->times);
	prog_snapshot__free(priv->snapshot);
	prog_shape__free(&priv->shape);
	prog_fds__close(priv->fds);
	cpumap__free(priv->possible);
	free(priv->runs);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_prog = {
	.name = "prog",
	.probe = bpf_util__probe_trampoline,
	.open = prog__open,
	.enable = prog__enable,
	.wake_fd = prog__wake_fd,
	.serve = prog__serve,
	.read = prog__read,
	.tend = prog__tend,
	.disable = prog__disable,
	.close = prog__close,
};
