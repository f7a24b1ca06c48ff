// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/cgroup-clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/fd/event-fds-table.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Returns the first cgroup that is counted, or NULL if none is counted. Any cgroup will do for
 * cgroup_clock__start(): when the kernel enables an event of any cgroup, it starts the clock of the
 * running task's cgroup, and the clocks of all cgroups above that cgroup.
 */
static const struct cgroup *first_cgroup(const struct event_fds *fds)
{
	const struct cgroup *cgroup = fds->group->subjects ? fds->group->subjects->list[0].cgroup :
							     NULL;

	for (int event = 0; !cgroup && fds->how.in_cgroups && event < fds->group->nr; event++)
		if (fds->leaders[event] >= 0)
			cgroup = fds->group->evsels[event]->cgroup;
	return cgroup;
}

int cgroup_clock__nr_files(const struct event_fds *fds)
{
	return first_cgroup(fds) ? fds->nr_cpus : 0;
}

int cgroup_clock__start(const struct event_fds *fds, int **clocks)
{
	const struct cgroup *cgroup = first_cgroup(fds);
	union perf_attr attr = { 0 };

	*clocks = NULL;
	if (!cgroup)
		return 0;
	*clocks = malloc(sizeof(int) * (size_t)fds->nr_cpus);
	if (!*clocks)
		return -ENOMEM;
	memset(*clocks, -1, sizeof(int) * (size_t)fds->nr_cpus);
	attr.attr.type = PERF_TYPE_SOFTWARE;
	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.config = PERF_COUNT_SW_DUMMY;
	for (int cpu = 0; cpu < fds->nr_cpus; cpu++) {
		int id = fds->group->cpus->ids[cpu];
		int fd = perf_sys__open(&attr, cgroup->fd, id, -1, PERF_FLAG_PID_CGROUP);

		if (fd == -ENODEV) /* the CPU went offline */
			continue;
		if (fd < 0) {
			cgroup_clock__stop(fds, *clocks);
			*clocks = NULL;
			return reason__set(fds->group->why, fd,
					   "%s: cannot start the clock of cgroups on CPU %d, so "
					   "counts would be scaled wrongly: %s",
					   cgroup->name, id, strerror(-fd));
		}
		(*clocks)[cpu] = fd;
	}
	return 0;
}

void cgroup_clock__stop(const struct event_fds *fds, int *clocks)
{
	for (int cpu = 0; clocks && cpu < fds->nr_cpus; cpu++)
		if (clocks[cpu] >= 0)
			close(clocks[cpu]);
	free(clocks);
}
