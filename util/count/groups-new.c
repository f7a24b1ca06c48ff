// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the groups: chooses a backend for each event, and the rows and columns of the event's
 * counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/groups-priv.h"
#include "util/count/groups.h"
#include "util/count/stat-config.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/*
 * All backends, in the order in which they are opened. If a counted task forks after one group was
 * opened and before another was opened, only the first of these groups counts the child. The
 * backend that needs the most time to open its events is first, so that little time passes from the
 * moment when its group is open until all groups are open.
 */
static const struct counter_backend *const backends[NR_BACKENDS] = {
	&backend_bperf,	 &backend_fd,	   &backend_prog,    &backend_scope,
	&backend_cgroup, &backend_profile, &backend_cputime, &backend_tool
};

/* ---- the backend of an event ---- */

/*
 * Returns whether pstat reads @evsel from procfs. This is the case for user_time and system_time of
 * CPUs and of running tasks. (For a command and its children, getrusage(2) returns exact times.)
 */
static bool is_read_from_procfs(const struct evsel *evsel, const struct stat_config *cfg)
{
	if (evsel->tool != TOOL_USER_TIME && evsel->tool != TOOL_SYSTEM_TIME)
		return false;
	if (cfg->progs || cfg->scopes || cfg->points || stat_config__counts_command(cfg) ||
	    stat_config__for_each_cgroup(cfg))
		return false;
	return !evsel->cgroup;
}

bool backend__wants_bpf(const struct evsel *evsel, const struct stat_config *cfg)
{
	/* only BPF programs can start or stop counting at the points of --start or --stop */
	return cfg->bpf_counters || evsel->bpf_counter || cfg->points;
}

const struct counter_backend *backend__for(const struct evsel *evsel, const struct stat_config *cfg)
{
	if (evsel->tool == TOOL_SCOPE_TIME)
		return &backend_scope;
	if (evsel->tool == TOOL_RUN_CNT)
		return cfg->scopes ? &backend_scope : &backend_prog;
	if (evsel->tool != TOOL_NONE)
		return is_read_from_procfs(evsel, cfg) ? &backend_cputime : &backend_tool;
	if (cfg->sampling)
		return &backend_profile;
	if (cfg->scopes)
		return &backend_scope;
	if (cfg->progs)
		return &backend_prog;
	if (!backend__wants_bpf(evsel, cfg))
		return &backend_fd;
	if (stat_config__for_each_cgroup(cfg))
		return &backend_cgroup;
	/* uncore events count no tasks, so reading them at context switches is useless */
	return evsel->is_uncore && !cfg->points ? &backend_fd : &backend_bperf;
}

/* ---- the groups ---- */

static int make_cpus(struct groups *g)
{
	int err = 0;

	g->no_cpus = cpumap__any();
	if (g->cfg->cpus)
		g->cpus = cpumap__copy(g->cfg->cpus);
	else
		err = cpumap__possible_here(g->why, &g->cpus);
	return err ?: g->cpus && g->no_cpus ? 0 : -ENOMEM;
}

static int group__add(struct backend_group *group, const struct evsel *evsel, struct counts *counts)
{
	size_t nr = (size_t)group->nr + 1;
	const struct evsel **evsels = realloc(group->evsels, sizeof(*evsels) * nr);
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

static bool is_per_cpu(const struct groups *g, const struct counter_backend *ops)
{
	return ops->cpus == CPUS_ALWAYS ||
	       (ops->cpus == CPUS_UNLESS_TASKS && !stat_config__per_task(g->cfg));
}

static const struct evsel run_cnt = { .tool = TOOL_RUN_CNT };

static void init_groups(struct groups *g)
{
	const struct counter_backend *of_runs = backend__for(&run_cnt, g->cfg);

	for (size_t i = 0; i < NR_BACKENDS; i++) {
		g->groups[i].ops = backends[i];
		g->groups[i].measurement = &g->measurement;
		g->groups[i].gate = &g->gate;
		g->groups[i].why = g->why;
		g->groups[i].perf_words = g->perf_words;
		g->groups[i].runs = backends[i] == of_runs ? &g->runs : NULL;
		g->groups[i].cpus = is_per_cpu(g, backends[i]) ? g->cpus : g->no_cpus;
	}
}

/*
 * Returns the number of columns of the group's counts. If a command is counted and there are no
 * subjects, there is a single column, because g->cfg->threads is NULL.
 */
static int nr_columns(const struct groups *g, const struct backend_group *group)
{
	if (group->subjects)
		return group->subjects->nr ?: 1;
	return group->ops->threads == THREADS_APART && g->cfg->threads ? g->cfg->threads->nr : 1;
}

/*
 * Makes the list of subjects (subjects.h). If @g->cfg asks for subjects, also stores a pointer to
 * the list in the measurement and in the group of each backend that sets by_subject. Returns 0 or
 * -ENOMEM.
 */
static int list_subjects(struct groups *g)
{
	int listed = subjects__list(&g->subjects, g->cfg);

	if (listed <= 0)
		return listed;
	g->measurement.subjects = &g->subjects;
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (g->groups[i].ops->by_subject)
			g->groups[i].subjects = &g->subjects;
	return 0;
}

/*
 * As in perf stat, the CPUs of -C replace the cpumask of an uncore PMU. So an event can be opened
 * on a CPU outside the cpumask. The PMU's driver moves such an event to a CPU of the cpumask.
 */
const struct cpumap *groups__own_cpus(const struct stat_config *cfg, const struct evsel *evsel)
{
	return cfg->cpus && evsel->is_uncore ? NULL : evsel->pmu_cpus;
}

/*
 * Makes the counts of the event at index @i of the evlist, and adds the event to its backend's
 * group. Returns 0 or -ENOMEM.
 */
static int assign_event(struct groups *g, int i)
{
	const struct evsel *evsel = g->evlist->entries[i];
	const struct counter_backend *ops = backend__for(evsel, g->cfg);
	struct backend_group *group = g->groups;

	while (group->ops != ops)
		group++;
	if (ops->is_native && backend__wants_bpf(evsel, g->cfg))
		pr_info("%s: counted without BPF, because it counts a whole package, not tasks",
			evsel->name);
	g->events[i] = counts__new_on(evsel, group->cpus, groups__own_cpus(g->cfg, evsel),
				      nr_columns(g, group));
	return g->events[i] ? group__add(group, evsel, g->events[i]) : -ENOMEM;
}

/*
 * Calls assign_event() for all events of a perf group, so that these events are adjacent in the
 * backend's group. The leader of the perf group is at index @i of the evlist. Returns 0 or -ENOMEM.
 */
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

	g->events = calloc((size_t)g->evlist->nr + 1, sizeof(*g->events));
	if (!g->events)
		return -ENOMEM;
	g->measurement.events = (const struct counts *const *)g->events;
	g->measurement.nr = g->evlist->nr;
	for (int i = 0; !err && i < g->evlist->nr; i++)
		if (evsel__is_group_leader(g->evlist->entries[i]))
			err = assign_group(g, i);
	return err;
}

/*
 * With -b or --scope, makes the table for the numbers of runs, and makes the measurement point to
 * it and to the results of --hist and --outliers. The report divides counts by the numbers of runs,
 * so runs are counted even if the user does not select run_cnt. Returns 0 or -ENOMEM.
 */
static int add_run_cnt(struct groups *g)
{
	if (!g->cfg->progs && !g->cfg->scopes)
		return 0;
	g->hist.evsel = g->cfg->hist;
	g->runs.counts = counts__new(
		&run_cnt, is_per_cpu(g, backend__for(&run_cnt, g->cfg)) ? g->cpus : g->no_cpus,
		g->subjects.nr ?: 1);
	g->runs.hist = g->cfg->hist ? &g->hist : NULL;
	g->runs.outliers = &g->outliers;
	g->measurement.run_cnt = g->runs.counts;
	g->measurement.hist = g->runs.hist;
	g->measurement.outliers = g->cfg->outliers ? &g->outliers : NULL;
	return g->runs.counts ? 0 : -ENOMEM;
}

int groups__new(const struct evlist *evlist, const struct stat_config *cfg, struct strbuf *why,
		struct strbuf *perf_words, struct groups **out)
{
	struct groups *g = calloc(1, sizeof(*g));
	int err = g ? 0 : -ENOMEM;

	*out = NULL;
	if (g) {
		g->evlist = evlist;
		g->cfg = cfg;
		g->why = why;
		g->perf_words = perf_words;
		err = make_cpus(g);
	}
	if (!err)
		init_groups(g);
	err = err ?: list_subjects(g);
	err = err ?: assign_events(g);
	err = err ?: add_run_cnt(g);
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
		if ((groups__is_used(&g->groups[i]) || g->groups[i].is_out) &&
		    g->groups[i].ops->free)
			g->groups[i].ops->free(&g->groups[i]);
		free(g->groups[i].evsels);
		free(g->groups[i].counts);
	}
	for (int i = 0; g->events && i < g->evlist->nr; i++)
		counts__free(g->events[i]);
	free(g->events);
	counts__free(g->runs.counts);
	if (g->hist.rows)
		hist_rows__reset(&g->hist);
	subjects__free(&g->subjects);
	if (g->online.watch)
		online_cpus__free(&g->online);
	cpumap__free(g->no_cpus);
	cpumap__free(g->cpus);
	free(g);
}
