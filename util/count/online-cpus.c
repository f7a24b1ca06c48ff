// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/groups-priv.h"

#include <errno.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/cpu-watch.h"
#include "util/machine/cpu/cpumap.h"

int online_cpus__set(struct online_cpus *cpus, const struct cpumap *online)
{
	struct cpumap *copy = cpumap__copy(online),
		      *seen = cpumap__union(cpus->seen ?: online, online);

	if (!copy || !seen) {
		cpumap__free(copy);
		cpumap__free(seen);
		return -ENOMEM;
	}
	cpumap__free(cpus->now);
	cpumap__free(cpus->seen);
	cpus->now = copy;
	cpus->seen = seen;
	return 0;
}

int online_cpus__start(struct online_cpus *cpus, bool *changed, struct strbuf *why)
{
	int err = cpus->watch ? cpu_watch__check(cpus->watch, changed) :
				cpu_watch__new(sysroots__host(), why, &cpus->watch);

	cpumap__free(cpus->seen);
	cpus->seen = NULL;
	err = err ?: online_cpus__set(cpus, cpu_watch__online(cpus->watch));
	return reason__set(
		why, err, "cannot watch which CPUs are online (/sys/devices/system/cpu/online): %s",
		strerror(-err));
}

void online_cpus__log_changes(const struct online_cpus *cpus, const struct cpumap *counted,
			      const struct cpumap *online)
{
	for (int i = 0; i < counted->nr; i++) {
		int id = counted->ids[i];
		bool was = cpumap__index(cpus->now, id) >= 0, is = cpumap__index(online, id) >= 0;

		if (was != is)
			pr_info(is ? "CPU %d came online: it is counted from now on" :
				     "CPU %d went offline: its counts are kept",
				id);
	}
}

void online_cpus__free(struct online_cpus *cpus)
{
	cpu_watch__free(cpus->watch);
	cpumap__free(cpus->now);
	cpumap__free(cpus->seen);
	*cpus = (struct online_cpus){ 0 };
}
