// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-readings.h"

#include <inttypes.h>

#include "util/base/log.h"
#include "util/count/counts.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"

static void tell_event(const struct counts *counts, bool interval)
{
	const char *mark = evsel__left_out_mark(counts->evsel, counts->left_out);
	const char *name = counts->evsel->name;
	struct reading sum = { 0 };

	for (int cpu = 0; cpu < counts->cpus->nr; cpu++) {
		for (int thread = 0; thread < counts->nr_threads; thread++) {
			struct reading one = (interval ? counts__delta : counts__total)(counts, cpu, thread);

			log__plain_at(LOG_DEBUG, "%s%s: %d: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, mark,
				      counts->cpus->ids[cpu], one.value, one.enabled, one.running);
			sum.value += one.value;
			sum.enabled += one.enabled;
			sum.running += one.running;
		}
	}
	log__plain_at(LOG_INFO, "%s%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, mark, sum.value, sum.enabled,
		      sum.running);
}

void stat_readings__tell(const struct counts_set *set, bool interval)
{
	if (!log__enabled(LOG_INFO))
		return;
	for (int event = 0; event < set->nr; event++)
		if (!set->events[event]->open_err)
			tell_event(set->events[event], interval);
}
