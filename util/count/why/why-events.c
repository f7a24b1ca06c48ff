// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/why/why-events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/stat-config.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/machine/task/threadmap.h"

struct search {
	const struct stat_config *cfg;
	const struct why_events_to *to;
	struct cpumap *online;
	struct pmus *pmus;
};

/* A perf group, or a single event. */
struct group {
	int nr;
	const struct evsel *const *evsels;
	struct why_event *events;
	int *fds; /* the fds of the members; -1: not open */
};

/* ---- where events are opened ---- */

/* Returns whether a session opens the event for tasks rather than for CPUs. */
static bool is_of_tasks(const struct search *search, const struct evsel *evsel)
{
	return !evsel->cgroup && stat_config__per_task(search->cfg) &&
	       !stat_config__for_each_cgroup(search->cfg) &&
	       !backend__wants_bpf(evsel, search->cfg);
}

/*
 * Returns the CPUs on which a session opens @evsel, or NULL if there is not enough memory.
 * is_of_tasks() must be false for @evsel.
 */
static struct cpumap *cpus_of(const struct search *search, const struct evsel *evsel)
{
	const struct cpumap *own = evsel->pmu_cpus && evsel->pmu_cpus->nr ? evsel->pmu_cpus : NULL;
	struct cpumap *wanted = search->cfg->cpus ?
					cpumap__intersect(search->cfg->cpus, search->online) :
					cpumap__copy(search->online);
	struct cpumap *both;

	if (!own || !wanted || (search->cfg->cpus && evsel->is_uncore))
		return wanted;
	both = cpumap__intersect(own, wanted);
	cpumap__free(wanted);
	return both;
}

static int nr_tasks(const struct search *search)
{
	return search->cfg->threads ? search->cfg->threads->nr : 1;
}

static struct event_place task_place(const struct search *search, const struct evsel *evsel, int nr)
{
	/* for a command, which is not running yet, try pstat's own process */
	pid_t tid = search->cfg->threads ? search->cfg->threads->tids[nr] : 0;
	int cpu = evsel->cpus_given && evsel->pmu_cpus ? evsel->pmu_cpus->ids[0] : -1;

	return (struct event_place){ .pid = tid, .cpu = cpu, .group_fd = -1 };
}

static struct event_place cpu_place(const struct evsel *evsel, int cpu)
{
	struct event_place at = { .pid = -1, .cpu = cpu, .group_fd = -1 };

	if (evsel->cgroup) {
		at.pid = evsel->cgroup->fd;
		at.flags = PERF_FLAG_PID_CGROUP;
	}
	return at;
}

/* ---- attempts ---- */

static struct pmu *pmu_of(const struct search *search, const struct evsel *evsel)
{
	uint32_t type = evsel->attr.attr.type;

	if (evsel->pmu_name)
		return pmus__find(search->pmus, evsel->pmu_name);
	return type == PERF_TYPE_RAW ? pmus__get(search->pmus, 0) : NULL;
}

/*
 * Returns an online CPU, other than @not_this, of the event's PMU. If there is none, returns the
 * first CPU of the PMU.
 */
static int other_cpu(const struct search *search, const struct evsel *evsel, int not_this)
{
	const struct cpumap *own = evsel->pmu_cpus && evsel->pmu_cpus->nr ? evsel->pmu_cpus :
									    search->online;

	for (int i = 0; i < own->nr; i++)
		if (own->ids[i] != not_this && cpumap__index(search->online, own->ids[i]) >= 0)
			return own->ids[i];
	return own->nr ? own->ids[0] : 0;
}

/*
 * Opens the event as a session does. If the kernel accepts the event only for user space, restricts
 * *@trial to user space and sets *@user_only. Returns an fd or -errno.
 */
static int open_as_session(const struct evsel *evsel, struct why_trial *trial, bool *user_only)
{
	struct why_trial reduced;
	int err = event_open(evsel, &trial->attr, &trial->at), fd;

	if (!event_open__may_drop_kernel(evsel, err))
		return err;
	reduced = *trial;
	reduced.attr.attr.exclude_kernel = reduced.attr.attr.exclude_hv = 1;
	fd = event_open(evsel, &reduced.attr, &reduced.at);
	if (fd < 0)
		return err;
	*trial = reduced;
	*user_only = true;
	return fd;
}

/*
 * Opens member @nr of the group, for the task or CPU @at. If the kernel refuses the event for the
 * first time, finds out why, and calls search->to->refused. Returns 0 (even if the kernel refuses
 * the event) or -ENOMEM.
 */
static int try_member(const struct search *search, struct group *group, int nr,
		      const struct event_place *at)
{
	const struct evsel *evsel = group->evsels[nr];
	struct why_event *event = &group->events[nr];
	struct why_trial trial = { .at = *at };
	int leader = 0, err;

	while (leader < nr && group->fds[leader] < 0)
		leader++;
	why_trial__fill(&trial, evsel, search->cfg, search->to->sampling);
	if (leader < nr)
		trial.at.group_fd = group->fds[leader];
	group->fds[nr] = open_as_session(evsel, &trial, &event->user_only);
	if (event->answer.err)
		return 0;
	event->nr_places++;
	event->trial = trial;
	if (group->fds[nr] >= 0)
		return 0;
	err = why_search(&trial, pmu_of(search, evsel), other_cpu(search, evsel, at->cpu),
			 &event->answer);
	if (!err && event->answer.err)
		search->to->refused(search->to->ctx, event);
	return err;
}

static int try_group(const struct search *search, struct group *group, const struct event_place *at)
{
	int err = 0;

	for (int i = 0; i < group->nr; i++)
		group->fds[i] = -1;
	for (int i = 0; !err && i < group->nr; i++) {
		if (group->evsels[i]->tool == TOOL_NONE)
			err = try_member(search, group, i, at);
	}
	/* close the leader last; otherwise, the members would become single events that count */
	for (int i = group->nr - 1; i >= 0; i--)
		if (group->fds[i] >= 0)
			close(group->fds[i]);
	return err;
}

static bool all_are_refused(const struct group *group)
{
	for (int i = 0; i < group->nr; i++)
		if (group->evsels[i]->tool == TOOL_NONE && !group->events[i].answer.err)
			return false;
	return true;
}

/*
 * Returns whether it is enough to try the group for one task or CPU. This is the case for
 * tracepoints, because the result is the same for all tasks and CPUs. Trying them all would be
 * slow: the kernel takes about 30 ms to close the last open event of a tracepoint.
 */
static bool one_place_will_do(const struct group *group)
{
	return group->evsels[0]->attr.attr.type == PERF_TYPE_TRACEPOINT;
}

static int try_everywhere(const struct search *search, struct group *group)
{
	const struct evsel *first = group->evsels[0];
	bool of_tasks = is_of_tasks(search, first);
	struct cpumap *cpus = of_tasks ? NULL : cpus_of(search, first);
	int nr = of_tasks ? nr_tasks(search) : cpus ? cpus->nr : 0, err = 0;

	if (!of_tasks && !cpus)
		return -ENOMEM;
	for (int i = 0; !err && i < nr && !all_are_refused(group); i++) {
		struct event_place at = of_tasks ? task_place(search, first, i) :
						   cpu_place(first, cpus->ids[i]);

		err = try_group(search, group, &at);
		if (one_place_will_do(group))
			break;
	}
	cpumap__free(cpus);
	return err;
}

static int search_group(const struct search *search, const struct evsel *const *evsels, int nr)
{
	struct group group = {
		.nr = nr,
		.evsels = evsels,
		.events = calloc((size_t)nr, sizeof(*group.events)),
		.fds = calloc((size_t)nr, sizeof(*group.fds)),
	};
	int err = group.events && group.fds ? try_everywhere(search, &group) : -ENOMEM;

	for (int i = 0; !err && i < nr; i++) {
		group.events[i].evsel = evsels[i];
		if (!group.events[i].answer.err)
			group.events[i].answer.scope =
				group.events[i].nr_places || evsels[i]->tool != TOOL_NONE ?
					WHY_NOT_REFUSED :
					WHY_NO_CPU;
		err = search->to->found(search->to->ctx, &group.events[i]);
	}
	for (int i = 0; group.events && i < nr; i++)
		why_answer__free(&group.events[i].answer);
	free(group.events);
	free(group.fds);
	return err;
}

/*
 * Calls search_group() for the group that the event at index @first leads. The members are not
 * always adjacent in the evlist: an event that has left the group stays where it was.
 */
static int search_led_by(const struct search *search, const struct evlist *evlist, int first)
{
	const struct evsel *leader = evlist->entries[first];
	const struct evsel **members =
		calloc((size_t)leader->nr_members, sizeof(const struct evsel *));
	int nr = 0, err;

	if (!members)
		return -ENOMEM;
	for (int at = first; nr < leader->nr_members && at < evlist->nr; at++)
		if (evlist->entries[at]->leader == leader)
			members[nr++] = evlist->entries[at];
	err = search_group(search, members, nr);
	free(members);
	return err;
}

int why_events__each(const struct evlist *evlist, const struct stat_config *cfg,
		     const struct why_events_to *to, struct strbuf *why)
{
	const struct sysroots *roots = sysroots__host();
	struct search search = { .cfg = cfg, .to = to, .pmus = pmus__new(roots) };
	int err = search.pmus ? cpumap__online(roots, &search.online) : -ENOMEM;

	reason__set(why, err, "the online CPUs cannot be listed: %s", strerror(-err));
	for (int i = 0; !err && i < evlist->nr; i++)
		if (evsel__is_group_leader(evlist->entries[i]))
			err = search_led_by(&search, evlist, i);
	cpumap__free(search.online);
	pmus__free(search.pmus);
	return err;
}
