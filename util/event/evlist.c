// SPDX-License-Identifier: GPL-2.0-only
/* Events (evsel.h) and the lists that own them. */
#include "util/event/evlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* ---- events ---- */

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

bool tool_event__is_time(enum tool_event tool)
{
	return tool == TOOL_DURATION_TIME || tool == TOOL_USER_TIME || tool == TOOL_SYSTEM_TIME;
}

bool tool_event__is_of_session(enum tool_event tool)
{
	return tool != TOOL_NONE && tool != TOOL_RUN_CNT && tool != TOOL_SCOPE_TIME;
}

bool tool_event__is_figure(enum tool_event tool)
{
	return tool == TOOL_FACT || tool == TOOL_HWMON || tool == TOOL_DRM;
}

bool evsel__is_group_leader(const struct evsel *evsel)
{
	return evsel->leader == evsel;
}

bool evsel__is_grouped(const struct evsel *evsel)
{
	return evsel->leader->nr_members > 1;
}

double evsel__count(const struct evsel *evsel, uint64_t value)
{
	return evsel->tool == TOOL_HWMON ? (double)(int64_t)value : (double)value;
}

bool evsel__is_read_per_run(const struct evsel *evsel)
{
	return evsel->tool == TOOL_NONE || evsel->tool == TOOL_SCOPE_TIME;
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

/* ---- lists ---- */

struct evlist *evlist__new(void)
{
	return calloc(1, sizeof(struct evlist));
}

void evlist__free(struct evlist *evlist)
{
	if (!evlist)
		return;
	evlist__truncate(evlist, 0);
	free(evlist->entries);
	free(evlist);
}

int evlist__add(struct evlist *evlist, struct evsel *evsel)
{
	if (evlist->nr == evlist->room) {
		int room = evlist->room ? evlist->room * 2 : 8;
		struct evsel **entries = realloc(evlist->entries, sizeof(*entries) * (size_t)room);

		if (!entries) {
			evsel__free(evsel);
			return -ENOMEM;
		}
		evlist->entries = entries;
		evlist->room = room;
	}
	evsel->idx = evlist->nr;
	evlist->entries[evlist->nr++] = evsel;
	return 0;
}

int evlist__next_merged(const struct evlist *evlist, int into, int after)
{
	const struct evsel *first = evlist->entries[into];

	for (int i = after + 1; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->entries[i];

		if (!evsel->merged && evsel->leader != first->leader)
			return -1;
		if (evsel->merge_into == first)
			return i;
	}
	return -1;
}

void evlist__truncate(struct evlist *evlist, int nr)
{
	while (evlist->nr > nr)
		evsel__free(evlist->entries[--evlist->nr]);
}
