// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend of -b: counts events inside BPF programs, which are called targets. For each target,
 * pstat attaches one fentry and one fexit program, which count all events (see
 * bpf_skel/prog_profiler.bpf.c). The events are opened once per CPU, and the programs of all
 * targets share them.
 *
 * evsels ─► perf fds per CPU ─► events map ◄─ fentry/fexit of target 1 ─► totals ─┐
 *                     │                   ◄─ fentry/fexit of target 2 ─► totals ─┴► sums ─► counts
 *                     └─ read(2) ─► times ─────────────────────────────────────────────────┘
 *
 * prog-list
 *     finds the programs, including programs that are loaded later (--follow)
 * prog-pending
 *     programs that were just loaded and must not be touched yet
 * prog-check, prog-kernel
 *     find out what can be counted on this machine
 * prog-refs
 *     finds out which programs will not run again
 * prog-stats
 *     counts programs with the kernel's own statistics instead of fentry and fexit
 * prog-target
 *     one target, and the pair of programs that counts it
 * prog-shape, -shared, -switch
 *     data and programs that all targets share
 * prog-fds, prog-times
 *     the events, and how long they had a counter
 * prog-totals, prog-sums
 *     the totals of each target, and their sums; backend-prog-read turns the sums into counts
 * prog-faults
 *     runs that were not counted, or not counted exactly
 * prog-gate
 *     starts and stops counting at the points of --start and --stop
 * prog-calibrate
 *     measures the cost of counting
 * prog-single
 *     chooses the event for --hist and the event for --outliers, and checks --packet
 * prog-outliers, -batch
 *     report individual runs as they happen
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/outliers.h"
#include "util/count/prog/backend-prog-group.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-gate.h"
#include "util/count/prog/prog-kernel.h"
#include "util/count/prog/prog-outliers.h"
#include "util/count/prog/prog-refs.h"
#include "util/count/prog/prog-stats.h"
#include "util/count/prog/prog-target.h"
#include "util/count/prog/prog-times.h"
#include "util/count/prog/prog-totals.h"
#include "util/count/stat-config.h"
#include "util/machine/bpf/bpf-prog.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Checks that this kernel can count programs. Called with --follow if there is no program to count
 * yet. So on a kernel that cannot count programs, pstat fails at once, rather than when the first
 * program appears.
 */
static int expect_countable(struct prog_list *list)
{
	struct strbuf why = STRBUF_INIT;
	int err = bpf_util__probe_trampoline(&why);

	/*
	 * if fentry works, but the kernel's statistics lack some events of the session, use only
	 * fentry
	 */
	if (!err && list->stats == PROG_STATS_ALONE)
		list->stats = PROG_STATS_NEVER;
	if (err && list->stats != PROG_STATS_NEVER && !prog_stats_keeper__start(&list->keeper))
		err = 0;
	reason__set(list->why, err, "-b: %s\n`pstat --version -vv` shows what this kernel allows",
		    why.text);
	strbuf__free(&why);
	return err;
}

static int find_progs(const struct backend_group *group, struct prog_group *priv)
{
	int err;

	priv->list.selection = priv->cfg->progs;
	priv->list.why = group->why;
	priv->list.stats = prog_stats__use(group, priv->cfg, &priv->list.why_no_stats);
	err = prog_list__find(&priv->list, priv->cfg->follow_progs);
	if (!err && !priv->list.nr)
		err = expect_countable(&priv->list);
	if (!err)
		prog_list__report_stats(&priv->list);
	return err;
}

/*
 * If the kernel's statistics count all programs in @list, or will count programs that are loaded
 * later (--follow), marks as unsupported the events that these statistics do not have.
 */
static void mark_unsupported(const struct backend_group *group, const struct prog_list *list)
{
	if (!prog_list__is_by_stats(list) && (list->nr || !list->keeper))
		return;
	for (int event = 0; event < group->nr; event++)
		if (!prog_stats__have(group->evsels[event]))
			counts__set_unsupported(group->counts[event], -EOPNOTSUPP,
						"the kernel's statistics of BPF programs have only "
						"the number and the time of runs");
}

/*
 * Prepares to find out which programs will not run again. If pstat cannot find this out, it keeps
 * all programs open until the end, and no new program gets the row of an older program.
 */
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

	if (priv->on_switch || !priv->list.nr || prog_list__is_by_stats(&priv->list))
		return 0;
	for (int i = 0; i < priv->list.nr; i++)
		needed |= prog_switch__may_sleep(priv->list.entries[i].target.prog);
	return needed ? prog_switch__attach(&priv->shape, &priv->on_switch) : 0;
}

/*
 * Calls @step for entry @first and all later entries. If @step fails for a program that the user
 * did not name (only patterns such as name:GLOB match it), drops the program with a warning and
 * continues. For any other program, returns the error.
 */
static int for_each_from(struct prog_group *priv, int first,
			 int (*step)(struct prog_group *, struct prog_target *))
{
	struct prog_list *list = &priv->list;

	for (int i = first; i < list->nr;) {
		int err = step(priv, &list->entries[i].target);

		if (err && !list->entries[i].by_pattern)
			return err;
		if (err) {
			pr_warn("%s", reason__text(list->why, err));
			strbuf__reset(list->why);
			prog_list__drop(list, i);
		} else {
			i++;
		}
	}
	return 0;
}

static int load_target(struct prog_group *priv, struct prog_target *target)
{
	return prog_target__load(target, &priv->shape);
}

static int attach_target(struct prog_group *priv, struct prog_target *target)
{
	int err = prog_target__attach(target, priv->shape.why);

	if (!err && !priv->points)
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
	return priv->snapshot && priv->times ? 0 : -ENOMEM;
}

/*
 * Attaches the BPF programs at the points of --start and --stop. Call this after the programs of
 * all targets are attached, so that no run is missed after the gate opens.
 */
static int attach_points(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (!priv->points)
		return 0;
	*group->gate = prog_gate__gate(priv->points);
	return prog_gate__attach(priv->points, &priv->shape,
				 prog_outliers__wake_fd(priv->outliers));
}

static int open_all(struct backend_group *group, const struct stat_config *cfg)
{
	struct prog_group *priv = group->priv;
	int err;

	prog_shape__init(&priv->shape, group->why);
	prog_single__want_time(&priv->shape, cfg);
	err = find_progs(group, priv);
	if (!err && cfg->outliers && cfg->outliers->packet)
		err = prog_kernel__look(sysroots__host(), &priv->shape.kernel, group->why) ?:
			      prog_single__check_packets(&priv->shape.kernel, &priv->list,
							 cfg->follow_progs);
	if (err)
		return err;
	err = cpumap__possible_here(group->why, &priv->possible);
	if (err)
		return err;
	err = prog_fds__open(group, &priv->fds);
	if (!err)
		mark_unsupported(group, &priv->list);
	err = err ?: prog_shape__place_events(&priv->shape, group, priv->fds);
	err = err ?: prog_single__place(&priv->shape, group, cfg);
	err = err ?: prog_shared__make_maps(&priv->shape, group, priv->fds, priv->possible, cfg);
	err = err ?: make_tables(group, priv);
	if (!err)
		err = prog_outliers__new(group, &priv->shape, priv->fds, &priv->list,
					 priv->possible, &priv->outliers);
	/*
	 * ignore an error of prog_calibrate(), which warns about it: the counts are useful even if
	 * the cost of counting is not subtracted
	 */
	if (!err && !cfg->no_calibrate && !prog_list__is_by_stats(&priv->list))
		prog_calibrate(&priv->shape, group, priv->fds, priv->possible);
	if (!err && cfg->points)
		err = prog_gate__new(cfg->points, &priv->shape, &priv->points);
	err = err ?: attach_from(priv, 0);
	err = err ?: attach_points(group);
	/* each program that exists at the start has a row, even if it is unloaded immediately */
	err = err ?: prog_list__assign_rows(&priv->list, prog_group__progs(group), false);
	if (!err && cfg->follow_progs)
		find_refs(priv);
	return err;
}

static int prog__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct prog_group *priv = calloc(1, sizeof(*priv));

	group->priv = priv;
	if (!priv)
		return -ENOMEM;
	priv->cfg = cfg;
	return open_all(group, cfg);
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
	if (priv->points) {
		priv->opened++;
		prog_gate__arm(priv->points);
		return 0;
	}
	priv->enabled_at = clock__now();
	priv->gate = ++priv->opened;
	set_gate(priv, priv->gate);
	return 0;
}

/*
 * Called when a CPU goes offline or comes online. If the CPU came online, puts its new events into
 * the map `events` and, with --outliers, makes a buffer for the CPU. If the CPU went offline,
 * replaces its events in the map with the events of another CPU, and waits for all runs in progress
 * of programs that cannot sleep. So none of these runs still uses the old events when the CPU gets
 * new ones. A run of a program that can sleep is lost if its CPU goes offline during the run.
 */
static int follow_cpu(void *ctx, int cpu, bool online)
{
	struct backend_group *group = ctx;
	struct prog_group *priv = group->priv;
	int err = prog_shared__put_events(&priv->shape, group, priv->fds, cpu, online);

	if (!err && online)
		return prog_outliers__add_cpu(priv->outliers, group->cpus->ids[cpu]);
	err = err ?: bpf_util__wait_for_programs();
	return reason__set(group->why, err,
			   "-b: a CPU is offline, and pstat cannot wait for the BPF programs that "
			   "read its events: %s",
			   strerror(-err));
}

static int prog__cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	struct prog_group *priv = group->priv;

	return prog_fds__follow_cpus(priv->fds, online, follow_cpu, group);
}

static int prog__disable(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int err;

	if (priv->points) {
		gate__disarm(prog_gate__gate(priv->points));
		err = prog_outliers__finish(priv->outliers);
		return err ?: prog_group__read(group);
	}
	if (!priv->gate)
		return 0;
	/* close the gate first, so that the final reading contains all runs that were counted */
	set_gate(priv, 0);
	err = prog_outliers__finish(priv->outliers);
	err = err ?: prog_group__read(group);
	priv->enabled_ns = prog_group__open_time(priv);
	priv->gate = 0;
	return err;
}

/* ---- programs that come and go (--follow) ---- */

static bool prog__needs_tending(const struct stat_config *cfg)
{
	return cfg->follow_progs || (cfg->outliers && cfg->outliers->by_percentile);
}

#define ROUNDS_PER_LOOK 10

static int prog__tend(struct backend_group *group)
{
	struct prog_group *priv = group->priv;
	int had = priv->list.nr, err;

	err = prog_outliers__adapt(priv->outliers, priv->snapshot);
	if (err || !priv->cfg->follow_progs)
		return err;
	/* pass on all records before programs are freed, because records point to their programs */
	err = prog_outliers__drain(priv->outliers);
	err = err ?: prog_list__find_new(&priv->list);
	prog_list__report_stats(&priv->list);
	if (!err && priv->list.nr > had)
		err = attach_from(priv, had);
	if (!err && ++priv->rounds >= ROUNDS_PER_LOOK) {
		priv->rounds = 0;
		err = prog_group__retire_the_gone(group);
	}
	return err;
}

static int prog__wake_fd(const struct backend_group *group)
{
	const struct prog_group *priv = group->priv;

	if (priv && priv->points)
		return prog_gate__wake_fd(priv->points);
	return priv ? prog_outliers__wake_fd(priv->outliers) : -1;
}

static int prog__serve(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (priv->points)
		prog_gate__drain(priv->points);
	return prog_outliers__drain(priv->outliers);
}

static void prog__close(struct backend_group *group)
{
	struct prog_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->opened)
		prog_group__report_faults(group);
	*group->gate = NULL;
	prog_gate__free(priv->points);
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
	.by_subject = true,
	.threads = THREADS_UNUSED, /* the BPF programs select runs by task */
	.counts_runs = true,
	.probe = bpf_util__probe_trampoline,
	.open = prog__open,
	.enable = prog__enable,
	.wake_fd = prog__wake_fd,
	.serve = prog__serve,
	.cpus_changed = prog__cpus_changed,
	.read = prog_group__read,
	.read_lost = prog_group__read_lost,
	.needs_tending = prog__needs_tending,
	.tend = prog__tend,
	.disable = prog__disable,
	.close = prog__close,
};
