// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the events of threads between two points, in programs or in the kernel (--scope). The same
 * few BPF programs are attached at all points. At each point, a BPF program gets a cookie that
 * contains the index of the scope.
 *
 * evsels ─► perf fds per CPU ─► events map ◄─ programs at points ─► totals ─► counts
 *                     │                    ◄─ program at context switches
 *                     └─ read(2) ─► times ──────────────────────────────────► counts
 *
 * scope-shape, scope-class
 *     decide how each event is read, where its count is stored, and how points are classified
 * scope-programs, scope-params, scope-threads
 *     load the BPF programs and make their maps
 * scope-attach, ../share/scope-links, ../share/scope-kernel
 *     attach the programs at the points
 * scope-func-probes, scope-sections
 *     find the cheapest way to probe functions of the kernel
 * scope-calibrate, scope-calibrate-kernel, scope-cost, scope-empty
 *     measure the cost of counting
 * scope-probe
 *     finds out whether the kernel allows this user to count scopes
 * scope-totals
 *     reads the counts from the maps
 * scope-outliers
 *     reports individual runs as they arrive
 * scope-faults
 *     counts and reports lost runs
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/outliers.h"
#include "util/count/scope/scope-attach.h"
#include "util/count/scope/scope-calibrate.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-faults.h"
#include "util/count/scope/scope-outliers.h"
#include "util/count/scope/scope-probe.h"
#include "util/count/scope/scope-programs.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/scope/scope-totals.h"
#include "util/count/share/gate-links.h"
#include "util/count/share/scope-kernel.h"
#include "util/count/share/scope-links.h"
#include "util/count/stat-config.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/scope/scope.h"
#include "util/machine/task/threadmap.h"

struct scope_group {
	/* a copy of the session's group without subjects, so that each event is opened only once */
	struct backend_group once;
	const struct scope_list *scopes;
	struct event_fds *fds;
	struct cpumap *possible; /* all possible CPUs, in the order of the per-CPU values in maps */
	struct scope_shape shape;
	struct scope_programs programs;
	struct scope_links links;
	const struct gate_points *points; /* the points of --start or --stop, or NULL */
	struct gate_links *gate_links;
	struct scope_totals_table *totals;
	struct scope_outliers *outliers;     /* NULL without --outliers */
	uint64_t lost_before[SCOPE_NR_LOST]; /* runs lost before counting started */
	/* the phase that set_gate() set; 0: counting is disabled, or `points` is set */
	uint32_t gate;
	/* the number of calls to set_gate(), or to scope__enable() if `points` is set */
	uint32_t opened;
	bool came_back;	     /* a CPU was back online before pstat replaced its events */
	uint64_t enabled_at; /* when counting was last enabled, in ns */
	uint64_t enabled_ns; /* total length of the earlier periods in which counting was enabled */
};

static uint64_t open_time(const struct scope_group *priv)
{
	if (priv->points)
		return gate__time(scope_programs__gate(&priv->programs));
	return priv->enabled_ns + (priv->gate ? clock__now() - priv->enabled_at : 0);
}

/* The maximum number of fds for BPF programs, maps and BTF, and for files that are open briefly. */
#define FILES_OF_PROGRAMS 48
/*
 * The maximum number of BPF links for a file with points. The programs pstat_begin and pstat_end
 * each need a link for entries and a link for returns. If runs begin where other runs end,
 * pstat_begin needs another two links (place.is_early in scope-attach.c).
 */
#define LINKS_OF_FILE 6

/* Returns the maximum number of fds that pstat needs in addition to those of the counted events. */
static uint64_t nr_files(const struct stat_config *cfg)
{
	const struct scope_list *list = cfg->scopes;
	uint64_t points[POINT_SYSCALL + 1] = { 0 }, in_files, files = FILES_OF_PROGRAMS;

	for (int i = 0; i < list->nr; i++) {
		points[list->scopes[i].begin->kind] += (uint64_t)list->scopes[i].nr_begin;
		points[list->scopes[i].end->kind] += (uint64_t)list->scopes[i].nr_end;
	}
	in_files = points[POINT_UPROBE] + points[POINT_USDT];
	/* without uprobe_multi, each point in a program needs a link and a perf event */
	if (2 * in_files > LINKS_OF_FILE * (uint64_t)list->nr_files && !scope_links__have_multi())
		files += 2 * in_files;
	else
		files += LINKS_OF_FILE * (uint64_t)list->nr_files;
	/* links that serve many functions are included in FILES_OF_PROGRAMS */
	if (points[POINT_FUNC] && (points[POINT_FUNC] <= 2 * SCOPE_FENTRY_MOST ||
				   !scope_kernel__have_links(FUNC_LINKS_MULTI)))
		files += 2 * points[POINT_FUNC];
	if (cfg->points)
		files += 2 * (uint64_t)(cfg->points->nr_start + cfg->points->nr_stop);
	return files + 2 * points[POINT_TP];
}

static int open_events(struct backend_group *group, struct scope_group *priv,
		       const struct stat_config *cfg)
{
	struct event_open_how how = { .more_files = nr_files(cfg) };
	int err = cpumap__possible(sysroots__host(), &priv->possible);

	if (err)
		return reason__set(group->why, err,
				   "cannot read /sys/devices/system/cpu/possible: %s",
				   strerror(-err));
	scope_shape__refuse_uncore(group);
	priv->once = *group;
	priv->once.subjects = NULL;
	err = event_fds__open(&priv->once, &how, &priv->fds);
	err = err ?: scope_shape__init(&priv->shape, group, priv->fds, cfg);
	return err ?: scope_shape__list_cgroups(&priv->shape, group, cfg);
}

/*
 * If scopes are counted separately, adds a column of counts for each scope. If cgroups are counted
 * separately too, adds a column for each pair of a scope and a cgroup instead.
 */
static int add_columns(struct backend_group *group, const struct stat_config *cfg)
{
	int parts = subjects__cgroups(group->subjects), err = 0;

	if (!cfg->per_scope)
		return 0;
	for (int i = group->subjects->nr / parts; err >= 0 && i < cfg->scopes->nr; i++)
		err = subjects__add_parts(group->subjects, cfg->scopes->scopes[i].name,
					  (uint64_t)i);
	if (err < 0)
		return err;
	err = counts__widen(group->runs->counts, group->subjects->nr);
	for (int event = 0; !err && event < group->nr; event++)
		err = counts__widen(group->counts[event], group->subjects->nr);
	return err;
}

static int attach_gate(struct backend_group *group, const struct stat_config *cfg)
{
	struct scope_group *priv = group->priv;
	int err;

	if (!cfg->points)
		return 0;
	priv->points = cfg->points;
	*group->gate = scope_programs__gate(&priv->programs);
	err = scope_programs__attach_gate(&priv->programs, cfg->points, &priv->gate_links,
					  group->why);
	return err   ?:
		       gate_links__wake_for(priv->gate_links,
					    scope_outliers__wake_fd(priv->outliers));
}

static int open_all(struct backend_group *group, const struct stat_config *cfg)
{
	struct scope_group *priv = group->priv;
	int err = open_events(group, priv, cfg);

	priv->scopes = cfg->scopes;
	err = err ?: add_columns(group, cfg);
	if (err)
		return err;
	priv->shape.nr_cpus = cpumap__last(priv->possible) + 1;
	priv->shape.nr_rows = cfg->per_scope ? cfg->scopes->nr : 1;
	priv->shape.inclusive = cfg->inclusive;
	priv->shape.some_cpus = cfg->cpus;
	if (cfg->aggr_mode == AGGR_THREAD) {
		priv->shape.per_thread = true;
		priv->shape.nr_rows = cfg->threads->nr;
	}
	err = scope_programs__load(&priv->programs, &priv->shape, group, priv->fds, cfg);
	if (err)
		return err;
	priv->totals =
		scope_totals__new(group, &priv->shape, &priv->programs, priv->fds, priv->possible);
	if (!priv->totals)
		return -ENOMEM;
	if (cfg->points)
		scope_totals__limit_times(priv->totals);
	err = scope_outliers__new(group, &priv->shape, &priv->programs, priv->totals, cfg->scopes,
				  &priv->outliers);
	err = err ?: scope_programs__watch(&priv->programs, group->why);
	/* on error, scope_calibrate() only warns: the counts are useful even without calibration */
	if (!err && !cfg->no_calibrate)
		scope_calibrate(&priv->shape, &priv->programs, priv->totals, group, cfg->scopes);
	err = err ?: scope_outliers__set_thresholds(priv->outliers);
	err = err   ?:
		      scope_attach(&priv->programs, cfg->scopes, cfg->per_scope, &priv->links,
				   group->why);
	err = err ?: scope_totals__lost(priv->totals, &priv->links, priv->lost_before);
	return err ?: attach_gate(group, cfg);
}

static int scope__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct scope_group *priv = calloc(1, sizeof(*priv));

	group->priv = priv;
	if (!priv)
		return -ENOMEM;
	priv->shape.hist_word = -1;
	priv->shape.outlier_word = -1;
	scope_programs__init(&priv->programs);
	return open_all(group, cfg);
}

static void set_gate(struct scope_group *priv)
{
	/* SCOPE_GATE_CALIBRATION is 1, so start with 2 */
	priv->gate = ++priv->opened + 1;
	scope_programs__set_gate(&priv->programs, priv->gate);
}

static int scope__enable(struct backend_group *group)
{
	struct scope_group *priv = group->priv;

	if (priv->gate)
		return 0;
	scope_totals__start(priv->totals);
	if (priv->points) {
		priv->opened++;
		gate__arm(scope_programs__gate(&priv->programs), priv->points);
		return 0;
	}
	priv->enabled_at = clock__now();
	set_gate(priv);
	return 0;
}

static int scope__read(struct backend_group *group)
{
	struct scope_group *priv = group->priv;

	return scope_totals__read(priv->totals, open_time(priv));
}

static int scope__disable(struct backend_group *group)
{
	struct scope_group *priv = group->priv;
	int err;

	if (priv->points) {
		gate__disarm(scope_programs__gate(&priv->programs));
		err = scope_outliers__finish(priv->outliers);
		return err ?: scope__read(group);
	}
	if (!priv->gate)
		return 0;
	/* close the gate first, so that no run is counted after the last reading */
	scope_programs__set_gate(&priv->programs, 0);
	err = scope_outliers__finish(priv->outliers);
	err = err ?: scope__read(group);
	priv->enabled_ns = open_time(priv);
	priv->gate = 0;
	return err;
}

/*
 * Called after pstat has replaced the events of a CPU that went offline, if the CPU was already
 * back online at that time. The counts of the old events do not advance. If a program reads an old
 * event at the beginning of a run and the new event at the end of the run, the difference is
 * meaningless. So this function waits until no program reads old events, and then excludes all runs
 * in progress.
 */
static int forget_runs(struct scope_group *priv, struct strbuf *why)
{
	struct gate *gate = scope_programs__gate(&priv->programs);
	int err;

	if (!gate->phase)
		return 0;
	err = bpf_util__wait_for_programs();
	if (err)
		return reason__set(why, err,
				   "--scope: a CPU was offline, and pstat cannot wait for the BPF "
				   "programs that read its events: %s",
				   strerror(-err));
	if (priv->points)
		gate__drop_runs(gate);
	else
		set_gate(priv);
	pr_warn("--scope: a CPU was offline, and came back before pstat noticed that: the runs "
		"that are now in progress are not counted");
	return 0;
}

static int follow_cpu(void *ctx, int cpu, bool online)
{
	struct backend_group *group = ctx;
	struct scope_group *priv = group->priv;
	struct cpumap *now;
	int err = scope_programs__put_events(&priv->programs, &priv->shape, group, priv->fds, cpu,
					     online);

	if (err || online)
		return err ?: scope_outliers__add_cpu(priv->outliers, group->cpus->ids[cpu]);
	err = cpumap__online(sysroots__host(), &now);
	if (err)
		return reason__set(group->why, err,
				   "cannot read /sys/devices/system/cpu/online: %s",
				   strerror(-err));
	priv->came_back |= cpumap__index(now, group->cpus->ids[cpu]) >= 0;
	cpumap__free(now);
	return 0;
}

/*
 * If a CPU went offline and came back before pstat noticed, the session calls this function twice:
 * first without the CPU in @online, then with the CPU.
 */
static int scope__cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	struct scope_group *priv = group->priv;
	int err;

	priv->came_back = false;
	err = event_fds__follow_cpus(priv->fds, online, follow_cpu, group);
	if (!err && priv->came_back)
		err = forget_runs(priv, group->why);
	return err;
}

static bool scope__needs_tending(const struct stat_config *cfg)
{
	return cfg->outliers && cfg->outliers->by_percentile;
}

static int scope__tend(struct backend_group *group)
{
	struct scope_group *priv = group->priv;

	return scope_outliers__adapt(priv->outliers);
}

static int scope__wake_fd(const struct backend_group *group)
{
	const struct scope_group *priv = group->priv;

	if (priv && priv->gate_links)
		return gate_links__wake_fd(priv->gate_links);

	return priv ? scope_outliers__wake_fd(priv->outliers) : -1;
}

static int scope__serve(struct backend_group *group)
{
	struct scope_group *priv = group->priv;

	if (priv->gate_links)
		gate_links__drain(priv->gate_links);
	return scope_outliers__drain(priv->outliers);
}

static int scope__read_lost(struct backend_group *group)
{
	const struct scope_group *priv = group->priv;
	uint64_t lost[SCOPE_NR_LOST];
	int err = scope_faults__read(priv->totals, &priv->links, priv->lost_before, lost);

	if (!err)
		group->measurement->lost_runs = scope_faults__nr(lost);
	return err;
}

static void report_faults(const struct backend_group *group)
{
	const struct scope_group *priv = group->priv;
	uint64_t lost[SCOPE_NR_LOST];

	if (priv->totals &&
	    !scope_faults__read(priv->totals, &priv->links, priv->lost_before, lost))
		group->measurement->lost_runs =
			scope_faults__report(priv->scopes, scope_totals__runs(priv->totals), lost);
}

static void scope__close(struct backend_group *group)
{
	struct scope_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->opened)
		report_faults(group);
	*group->gate = NULL;
	gate_links__free(priv->gate_links);
	scope_links__free(&priv->links);
	scope_outliers__free(priv->outliers);
	scope_totals__free(priv->totals);
	scope_programs__free(&priv->programs);
	if (priv->fds)
		event_fds__give_counters_back(priv->fds);
	event_fds__close(priv->fds);
	scope_shape__free(&priv->shape);
	cpumap__free(priv->possible);
	free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_scope = {
	.name = "scope",
	.cpus = CPUS_ALWAYS,
	.by_subject = true,
	.threads = THREADS_UNUSED, /* the BPF programs select runs by task */
	.counts_runs = true,
	.probe = scope_probe,
	.open = scope__open,
	.enable = scope__enable,
	.wake_fd = scope__wake_fd,
	.serve = scope__serve,
	.cpus_changed = scope__cpus_changed,
	.read = scope__read,
	.read_lost = scope__read_lost,
	.needs_tending = scope__needs_tending,
	.tend = scope__tend,
	.disable = scope__disable,
	.close = scope__close,
};
