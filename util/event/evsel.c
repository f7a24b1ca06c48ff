// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/evsel.h"

#include <stdlib.h>
#include <string.h>

#include "util/machine/cpumap.h"

struct evsel *evsel__new(void)
{
	struct evsel *evsel = calloc(1, sizeof(*evsel));

	if (!evsel)
		return NULL;
	evsel->attr.attr.size = PERF_ATTR_SIZE;
	evsel->scale = 1.0;
	evsel->leader = evsel;
	evsel->nr_members = 1;
	evsel->unit = strdup("");
	if (!evsel->unit) {
		free(evsel);
		return NULL;
	}
	return evsel;
}

void evsel__free(struct evsel *evsel)
{
	if (!evsel)
		return;
	free(evsel->name);
	free(evsel->unit);
	free(evsel->pmu_name);
	free(evsel->tracepoint);
	free(evsel->symbol_file);
	free(evsel->filter);
	cpumap__free(evsel->pmu_cpus);
	free(evsel);
}

bool evsel__is_clock(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	return evsel->tool == TOOL_NONE && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}
