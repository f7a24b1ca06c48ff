// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/groups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/cpu-watch.h"
#include "util/count/exec-loss.h"
#include "util/count/hist-counts.h"
#include "util/count/online-cpus.h"
#include "util/count/prog-rows.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"
#include "util/machine/threadmap.h"

/*
 * The backends that there can be a group for; the order in which they are opened. The slowest is the first: what tasks fork in between
 * counts for one and not for the other.
 */
static const struct counter_backend *const backends[] = { &backend_bperf,  &backend_fd,	     &backend_prog,
							  &backend_cgroup, &backend_profile, &backend_cputime,
							  &backend_tool };
#define NR_BACKENDS (sizeof(backends) / sizeof(backends[0]))

struct groups {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	struct cpumap *cpus;	/* CPUs that have rows in per-CPU counts: those of -C, otherwise all possible CPUs */
	struct cpumap *no_cpus; /* {-1}: rows of the tool events, and of tasks counted natively */
	struct backend_group groups[NR_BACKENDS];
	struct online_cpus online; /* zeroed until the first open, and if nothing is counted per CPU */
	struct counts_set set;
	struct prog_rows progs;	      /* of set, with --per-prog */
	struct hist_rows hist;	      /* of set, with --hist */
	struct outlier_sink outliers; /* with --outliers */
};

static int make_cpus(struct groups *g)
{
	int err = 0;

	g->no_cpus = cpumap__any();
	if (g->cfg->cpus)
		g->cpus = cpumap__copy(g->cfg->cpus);
	else
		err = cpumap__possible(sysroots__host(), &g->cpus);
	if (err)
		pr_err("cannot read /sys/devices/system/cpu/possible: %s", strerror(-err));
	return err ?: g->cpus && g->no_cpus ? 0 : -ENOMEM;
}

static int group__add(struct backend_group *group, struct evsel *evsel, struct counts *counts)
{
	size_t nr = (size_t)group->nr + 1;
	struct evsel **evsels = realloc(group->evsels, sizeof(*evsels) * nr);
	struct counts **all;

	if (!evsels)
		return -ENOMEM;
	group->evsels = evsels;
	all = realloc(group->counts, sizeof(*all) * nr);
	if (!all)
		return -ENOMEM;
	group->counts = all;
	evsels[group->nr] = evsel;
	all[group->nr++] = counts;
	return 0;
}

static struct backend_group *group__of(struct groups *g, const struct counter_backend *ops)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (g->groups[i].ops == ops)
			return &g->groups[i];
	return NULL;
}

/* The kernel's own counts of a task tell no CPUs apart; those that BPF takes at context switches do. */
static bool is_per_cpu(const struct groups *g, const struct counter_backend *ops)
{
	return ops == &backend_bperf || (ops != &backend_tool && !stat_config__per_task(g->cfg));
}

static void init_groups(struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		g->groups[i].ops = backends[i];
		g->groups[i].cpus = is_per_cpu(g, backends[i]) ? g->cpus : g->no_cpus;
	}
}

/* Of single tasks know those that open the events for them; -b chooses runs by task. */
static bool knows_threads(const struct backend_group *group)
{
	return group->ops != &backend_tool && group->ops != &backend_prog;
}

/* The tool events read some figures of the counted tasks, but add them up. */
static bool gets_threads(const struct backend_group *group)
{
	return knows_threads(group) || group->ops == &backend_tool;
}

/* Shared counters add threads up that are not told apart. */
static bool tells_threads_apart(const struct groups *g, const struct backend_group *group)
{
	return knows_threads(group) && (group->ops != &backend_bperf || g->cfg->aggr_mode == AGGR_THREAD);
}

/* Tables are as wide as the list of threads that stays the same from run to run; a command is one thread. */
static int nr_threads(const struct groups *g, const struct backend_group *group)
{
	return tells_threads_apart(g, group) && g->cfg->threads ? g->cfg->threads->nr : 1;
}

/*
 * The CPUs to which the event's PMU limits it, or NULL if it is counted on all CPUs of its group.
 * -C overrides the cpumask of an uncore PMU, as with perf stat: the PMU's driver moves the event to
 * the CPU that counts for the package.
 */
static const struct cpumap *own_cpus(const struct groups *g, const struct evsel *evsel)
{
	return g->cfg->cpus && evsel->is_uncore ? NULL : evsel->pmu_cpus;
}

/* Makes a table of counts for the event at index @i, and adds the event to the group of its backend. */
static int assign_event(struct groups *g, int i)
{
	struct evsel *evsel = g->evlist->entries[i];
	struct backend_group *group = group__of(g, backend__for(evsel, g->cfg));

	g->set.events[i] = counts__new_on(evsel, group->cpus, own_cpus(g, evsel), nr_threads(g, group));
	return g->set.events[i] ? group__add(group, evsel, g->set.events[i]) : -ENOMEM;
}

/* The leader at index @i and its members. Backends get groups in one piece. */
static int assign_group(struct groups *g, int i)
{
	const struct evsel *leader = g->evlist->entries[i];
	int err = 0, nr = 0;

	for (int at = i; !err && nr < leader->nr_members && at < g->evlist->nr; at++) {
		if (g->evlist->entries[at]->leader != leader)
			continue;
		err = assign_event(g, at);
		nr++;
	}
	return err;
}

static int assign_events(struct groups *g)
{
	int err = 0;

	g->set.events = calloc((size_t)g->evlist->nr + 1, sizeof(*g->set.events));
	if (!g->set.events)
		return -ENOMEM;
	g->set.nr = g->evlist->nr;
	for (int i = 0; !err && i < g->evlist->nr; i++)
		if (evsel__is_group_leader(g->evlist->entries[i]))
			err = assign_group(g, i);
	return err;
}

/* -b counts runs whether or not an event asks for them: the report divides by them. */
static int add_run_cnt(struct groups *g)
{
	static const struct evsel run_cnt = { .tool = TOOL_RUN_CNT };
	struct backend_group *group = group__of(g, &backend_prog);

	if (!g->cfg->progs)
		return 0;
	if (g->cfg->per_prog) {
		g->set.progs = &g->progs;
		group->progs = &g->progs;
	}
	g->set.run_cnt = counts__new(&run_cnt, group->cpus, 1);
	group->run_cnt = g->set.run_cnt;
	if (g->cfg->hist) {
		g->hist.evsel = g->cfg->hist;
		g->set.hist = &g->hist;
		group->hist = &g->hist;
	}
	if (g->cfg->outliers)
		group->outliers = &g->outliers;
	return g->set.run_cnt ? 0 : -ENOMEM;
}

int groups__new(const struct evlist *evlist, const struct stat_config *cfg, struct groups **out)
{
	struct groups *g = calloc(1, sizeof(*g));
	int err = g ? 0 : -ENOMEM;

	*out = NULL;
	if (g) {
		g->evlist = evlist;
		g->cfg = cfg;
		err = make_cpus(g);
	}
	if (!err)
		init_groups(g);
	err = err ?: assign_events(g);
	err = err ?: add_run_cnt(g);
	if (err == -ENOMEM)
		pr_err("out of memory");
	if (err)
		groups__free(g);
	else
		*out = g;
	return err;
}

void groups__free(struct groups *g)
{
	if (!g)
		return;
	groups__close(g);
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		free(g->groups[i].evsels);
		free(g->groups[i].counts);
	}
	for (int i = 0; g->set.events && i < g->set.nr; i++)
		counts__free(g->set.events[i]);
	free(g->set.events);
	counts__free(g->set.run_cnt);
	hist_rows__reset(&g->hist);
	prog_rows__free(&g->progs);
	online_cpus__free(&g->online);
	cpumap__free(g->no_cpus);
	cpumap__free(g->cpus);
	free(g);
}

/* A group without events is left alone, but that of -b has its runs to count. */
static bool group__is_used(const struct backend_group *group)
{
	return group->nr || group->run_cnt;
}

/*
 * Returns @err after logging it if the step has not done so, which happens when there is no memory. Logs nothing if a
 * signal ended the step, because pstat is about to die from it.
 */
static int told(const struct backend_group *group, const char *step, unsigned int nr_errors, int err)
{
	if (err == -EINTR && wakeups__is_asked_to_end())
		return err;
	if (err && log__nr_errors() == nr_errors)
		pr_err("%s: cannot %s the counters: %s", group->ops->name, step, strerror(-err));
	return err;
}

static int run_step(struct backend_group *group, const char *name, int (*step)(struct backend_group *))
{
	unsigned int nr_errors = log__nr_errors();

	return told(group, name, nr_errors, step(group));
}

/* Does any group count per CPU, or need to know about CPUs for another reason? */
static bool cares_for_cpus(const struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) &&
		    (g->groups[i].cpus == g->cpus || g->groups[i].ops == &backend_profile))
			return true;
	return false;
}

/* Passes the present CPUs to each group and to the report. */
static void share_online(struct groups *g)
{
	g->set.seen = g->online.seen;
	for (size_t i = 0; i < NR_BACKENDS; i++)
		g->groups[i].online = g->online.now;
}

int groups__open(struct groups *g, const struct threadmap *threads)
{
	unsigned int nr_errors = log__nr_errors();
	bool changed = false;
	int err;

	groups__suspend(g);
	err = cares_for_cpus(g) ? online_cpus__start(&g->online, &changed) : 0;
	/* what was suspended may have events that do not count any more */
	if (changed)
		groups__close(g);
	share_online(g);
	for (int i = 0; i < g->set.nr; i++)
		counts__reset(g->set.events[i]);
	if (g->set.run_cnt)
		counts__reset(g->set.run_cnt);
	hist_rows__reset(&g->hist);
	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];

		group->threads = gets_threads(group) ? threads : NULL;
		if (group__is_used(group))
			err = told(group, "open", nr_errors, group->ops->open(group, g->cfg));
	}
	return err;
}

int groups__enable(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]))
			err = run_step(&g->groups[i], "enable", g->groups[i].ops->enable);
	return err;
}

int groups__at_exec(struct groups *g, pid_t pid)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) && g->groups[i].ops->at_exec)
			err = g->groups[i].ops->at_exec(&g->groups[i], pid);
	return err;
}

int groups__wake_fd(const struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) && g->groups[i].ops->wake_fd)
			return g->groups[i].ops->wake_fd(&g->groups[i]);
	return -1;
}

int groups__serve(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) && g->groups[i].ops->serve)
			err = run_step(&g->groups[i], "serve", g->groups[i].ops->serve);
	return err;
}

int groups__cpus_fd(const struct groups *g)
{
	return g->online.watch ? cpu_watch__fd(g->online.watch) : -1;
}

/* Tells the groups that exactly the CPUs of @online are online. */
static int change_cpus(struct groups *g, const struct cpumap *online)
{
	unsigned int nr_errors = log__nr_errors();
	int err = 0;

	if (cpumap__equal(g->online.now, online))
		return 0;
	for (size_t i = 0; !err && i < NR_BACKENDS; i++) {
		struct backend_group *group = &g->groups[i];

		if (group__is_used(group) && group->ops->cpus_changed)
			err = told(group, "update", nr_errors, group->ops->cpus_changed(group, online));
	}
	/* logged last: when the user reads the message, the groups already count so */
	if (!err)
		online_cpus__log_changes(&g->online, g->cpus, online);
	err = err ?: online_cpus__set(&g->online, online);
	share_online(g);
	return err == -ENOMEM && log__nr_errors() == nr_errors ? log__out_of_memory() : err;
}

int groups__follow_cpus(struct groups *g)
{
	bool changed = false;
	int err = g->online.watch ? cpu_watch__check(g->online.watch, &changed) : 0;

	if (err)
		pr_err("cannot read which CPUs are online (/sys/devices/system/cpu/online): %s", strerror(-err));
	if (err || !changed)
		return err;
	/* a CPU that was offline and is back first leaves and then joins */
	err = change_cpus(g, cpu_watch__stayed(g->online.watch));
	return err ?: change_cpus(g, cpu_watch__online(g->online.watch));
}

int groups__read(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]))
			err = run_step(&g->groups[i], "read", g->groups[i].ops->read);
	return err;
}

/*
 * Does a short enabled time of this event mean that the kernel removed it? Not if it is pinned: a pinned event that
 * finds no counter is no longer enabled either.
 */
static bool can_lose(const struct backend_group *group, int event)
{
	return group->ops->loses_at_exec && !group->evsels[event]->attr.attr.pinned;
}

bool groups__suspect_loss(const struct groups *g, const struct exec_loss *loss)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		for (int event = 0; event < g->groups[i].nr; event++)
			if (can_lose(&g->groups[i], event) && exec_loss__suspects(loss, g->groups[i].counts[event]))
				return true;
	return false;
}

void groups__apply_loss(struct groups *g, struct exec_loss *loss)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		for (int event = 0; event < g->groups[i].nr; event++)
			if (can_lose(&g->groups[i], event))
				exec_loss__apply(loss, g->groups[i].counts[event]);
}

bool groups__need_tending(const struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) && g->groups[i].ops->tend && g->groups[i].ops->needs_tending(g->cfg))
			return true;
	return false;
}

int groups__tend(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]) && g->groups[i].ops->tend)
			err = run_step(&g->groups[i], "tend", g->groups[i].ops->tend);
	return err;
}

int groups__disable(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]))
			err = run_step(&g->groups[i], "disable", g->groups[i].ops->disable);
	return err;
}

int groups__stop(struct groups *g)
{
	int err = 0;

	for (size_t i = 0; !err && i < NR_BACKENDS; i++)
		if (group__is_used(&g->groups[i]))
			err = run_step(&g->groups[i], "disable", g->groups[i].ops->stop ?: g->groups[i].ops->disable);
	return err;
}

void groups__close(struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (g->groups[i].ops)
			g->groups[i].ops->close(&g->groups[i]);
}

void groups__suspend(struct groups *g)
{
	for (size_t i = 0; i < NR_BACKENDS; i++) {
		const struct counter_backend *ops = g->groups[i].ops;

		(ops->suspend ?: ops->close)(&g->groups[i]);
	}
}

void groups__tell_outliers(struct groups *g, outlier_fn tell, void *ctx)
{
	g->outliers.tell = tell;
	g->outliers.ctx = ctx;
}

const struct outlier_sums *groups__outliers(const struct groups *g)
{
	return &g->outliers.sums;
}

void groups__mark(struct groups *g)
{
	for (int i = 0; i < g->set.nr; i++)
		counts__mark(g->set.events[i]);
	if (g->set.run_cnt)
		counts__mark(g->set.run_cnt);
	hist_rows__mark(&g->hist);
}

const struct counts_set *groups__counts(const struct groups *g)
{
	return &g->set;
}
