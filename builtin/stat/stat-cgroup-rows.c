// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-cgroup-rows.h"

#include <stddef.h>

#include "builtin/stat/stat-options.h"
#include "util/event/evlist.h"
#include "util/machine/cgroup.h"

static bool has_row(const struct cgroup *cgroup, bool interval)
{
	switch (cgroup->state) {
	case CGROUP_LIVE:
	case CGROUP_GONE:
		return true;
	case CGROUP_GONE_TOLD:
		return !interval;
	case CGROUP_UNUSED:
	case CGROUP_RESERVED:
		break;
	}
	return false;
}

void stat_cgroup_rows__name(const struct stat_options *options, bool interval)
{
	if (!options->count.cgroup_follow)
		return;
	for (int event = 0; event < options->evlist->nr; event++) {
		const struct cgroup *cgroup = options->cgroups[event];

		options->cgroup_names[event] = has_row(cgroup, interval) ? cgroup->name : NULL;
	}
}

void stat_cgroup_rows__told(const struct stat_options *options)
{
	for (int i = 0; options->count.cgroup_follow && i < options->nr_cgroups; i++)
		if (options->opened_cgroups[i]->state == CGROUP_GONE)
			options->opened_cgroups[i]->state = CGROUP_GONE_TOLD;
}
