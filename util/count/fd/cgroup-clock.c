// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/cgroup-clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/count/backend.h"
#include "util/count/fd/event-fds-table.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup.h"
#include "util/machine/cpumap.h"

/* Any will do: with the clock of the CPU's group go those of all groups above it. */
static const struct cgroup *first_cgroup(const struct event_fds *fds)
{
	const struct cgroup *cgroup = NULL;

	for (int event = 0; !cgroup && fds->how.cgroups && event < fds->group->nr; event++)
		if (fds->leaders[event] >= 0)
			cgroup = fds->how.cgroups[fds->group->evsels[event]->idx];
	return cgroup;
}

int cgroup_clock__nr_files(const struct event_fds *fds)
{
	return fds->how.cgroups ? fds->nr_cpus : 0;
}

int *cgroup_clock__start(const struct event_fds *fds)
{
	const struct cgroup *cgroup = first_cgroup(fds);
	int *clocks = cgroup ? malloc(sizeof(int) * (size_t)fds->nr_cpus) : NULL;
	union perf_attr attr = { 0 };

	if (!clocks)
		return NULL;
	attr.attr.type = PERF_TYPE_SOFTWARE;
	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.config = PERF_COUNT_SW_DUMMY;
	for (int cpu = 0; cpu < fds->nr_cpus; cpu++)
		clocks[cpu] = perf_sys__open(&attr, cgroup->fd, fds->group->cpus->ids[cpu], -1, PERF_FLAG_PID_CGROUP);
	return clocks;
}

void cgroup_clock__stop(const struct event_fds *fds, int *clocks)
{
	for (int cpu = 0; clocks && cpu < fds->nr_cpus; cpu++)
		if (clocks[cpu] >= 0)
			close(clocks[cpu]);
	free(clocks);
}
