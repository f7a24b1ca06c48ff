// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/evsel.h"

#include <stdlib.h>
#include <string.h>

#include "util/machine/cpu/cpumap.h"

struct evsel *evsel__new(void)
{
	struct evsel *evsel = calloc(1, sizeof(*evsel));

	if (!evsel)
		return NULL;
	evsel->attr.attr.size = PERF_ATTR_SIZE;
	evsel->scale = 1.0;
	evsel->generic_hw = -1;
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
	free(evsel->source);
	cpumap__free(evsel->pmu_cpus);
	free(evsel);
}

bool evsel__is_clock(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	return evsel->tool == TOOL_NONE && attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool evsel__counts_switches(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr.attr;

	return evsel->tool == TOOL_NONE && attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES && !attr->exclude_kernel;
}

bool evsel__always_counts(const struct evsel *evsel)
{
	switch (evsel->attr.attr.type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		return true;
	default:
		return evsel->pmu_name && !strcmp(evsel->pmu_name, "msr");
	}
}

bool evsel__has_name(const struct evsel *evsel, const char *name)
{
	size_t len = strlen(name), blanks = strspn(evsel->name, " ");
	const char *rest = evsel->name + blanks;

	if (!strcmp(evsel->name, name))
		return true;
	return len && !strncmp(rest, name, len) && strspn(rest + len, " ") == strlen(rest + len);
}

const char *evsel__left_out_mark(const struct evsel *evsel, unsigned int left_out)
{
	static const char *const marks[] = { ":", ":u", ":H", ":uH" };

	if (!left_out)
		return "";
	return marks[left_out & 3] + (strpbrk(evsel->name, ":/") != NULL);
}
