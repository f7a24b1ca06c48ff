// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the perf events of the cgroup backend. Each event is opened once per CPU, regardless of the
 * number of cgroups.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/cgroup/backend-cgroup-group.h"
#include "util/count/cgroup/cgroup-plan.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Marks an event as unsupported if its count cannot be attributed to tasks. Returns whether the
 * event was marked.
 */
static bool refuse_uncore(struct backend_group *group, int event)
{
	const struct evsel *evsel = group->evsels[event];
	struct strbuf why = STRBUF_INIT;

	if (!evsel->is_uncore && !evsel->per_pkg && !evsel->snapshot)
		return false;
	strbuf__addf(&why,
		     "%s: counts a whole package, so its count cannot be attributed to a cgroup",
		     evsel->name);
	pr_info("%s", why.text);
	counts__set_unsupported(group->counts[event], -EINVAL, why.text);
	strbuf__free(&why);
	return true;
}

int cgroup_group__alloc_events(struct cgroup_group *priv)
{
	size_t room = (size_t)priv->nr_events + 1;

	priv->fd_group.evsels = calloc(room, sizeof(*priv->fd_group.evsels));
	priv->fd_group.counts = calloc(room, sizeof(*priv->fd_group.counts));
	priv->fd_events = calloc(room, sizeof(*priv->fd_events));
	priv->is_open = calloc(room, sizeof(*priv->is_open));
	return priv->fd_group.evsels && priv->fd_group.counts && priv->fd_events && priv->is_open ?
		       0 :
		       -ENOMEM;
}

int cgroup_group__open_events(struct backend_group *group, struct cgroup_group *priv,
			      const int *reads)
{
	struct event_open_how how = { .disabled = true };
	struct backend_group *fd_group = &priv->fd_group;
	int err;

	fd_group->cpus = group->cpus;
	fd_group->online = group->online;
	fd_group->why = group->why;
	fd_group->nr = 0;
	for (int event = 0; event < priv->nr_events; event++) {
		priv->fd_events[event] = -1;
		if (refuse_uncore(group, event) || !cgroup_plan__needs_fd(group->evsels[event]) ||
		    (reads && reads[event] >= 0))
			continue;
		priv->fd_events[event] = fd_group->nr;
		fd_group->evsels[fd_group->nr] = group->evsels[event];
		fd_group->counts[fd_group->nr++] = group->counts[event];
	}
	err = event_fds__open(fd_group, &how, &priv->fds);
	/*
	 * enable the events only after all of them have been opened: otherwise, a member would be
	 * added to a perf group that is already counting, and would start late
	 */
	err = err ?: event_fds__enable(priv->fds);
	for (int event = 0; !err && event < priv->nr_events; event++)
		priv->is_open[event] = !group->counts[event]->open_err;
	return err;
}

void cgroup_group__close_events(struct cgroup_group *priv)
{
	event_fds__close(priv->fds);
	priv->fds = NULL;
}

int cgroup_group__fill_events(const struct backend_group *group, const struct cgroup_group *priv)
{
	int nr_cpus = cpumap__last(priv->possible) + 1, err = 0;

	for (int event = 0; event < priv->nr_events; event++) {
		const struct cgroup_counter *counter = &priv->plan->counters[event];
		int row = counter->read + (counter->timed ? (int)priv->plan->nr_plain : 0);

		if (counter->read < 0)
			continue;
		for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
			err = bpf_util__put_event(
				priv->object.events_fd, row, nr_cpus, group->cpus->ids[cpu],
				event_fds__get(priv->fds, priv->fd_events[event], cpu, 0),
				group->evsels[event]->name, group->why);
	}
	return err;
}
