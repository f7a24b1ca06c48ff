// SPDX-License-Identifier: GPL-2.0-only
/* What the events of an imitated machine count, and how read(2) returns these counts. */
#include <stddef.h>

#include "tests/imitated/kernel.h"

#define NS 1000000000ull

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash + word + 1) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/*
 * Returns a count that depends only on the event and the CPU, and differs between events and CPUs.
 */
static uint64_t value_of(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t hash = mixed(attr->type + 1, attr->config), excluded;

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK)
		return NS + (uint64_t)(event->cpu + 1) * 10000;
	excluded = attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
		   attr->exclude_host << 3;
	hash = mixed(mixed(mixed(mixed(hash, attr->config1), attr->config2), event->config3),
		     excluded);
	hash = mixed(hash, (uint64_t)event->cpu);
	return 1000000 + hash % 900000000;
}

static int nr_core_pmus(const struct pmu **first)
{
	const struct machine *machine = machine__get();
	int nr = 0;

	for (int i = machine->nr_pmus - 1; i >= 0; i--)
		if (machine->pmus[i].kind == KIND_CORE) {
			*first = &machine->pmus[i];
			nr++;
		}
	return nr;
}

/*
 * Returns the time in ns for which the event had a counter. On a machine with two kinds of cores, a
 * task spends 60 % of its time on the first kind and 40 % on the other kind. A group has counters
 * only on the kind of core to which its core events belong.
 */
static uint64_t running_of(const struct event *event)
{
	const struct pmu *first = NULL;

	if (event->cpu >= 0 || nr_core_pmus(&first) < 2)
		return NS;
	for (const struct event *e = event->leader; e; e = e->next)
		if (e->pmu->kind == KIND_CORE)
			return e->pmu == first ? NS / 10 * 6 : NS / 10 * 4;
	return NS;
}

static int add_words(const struct event *event, uint64_t format, uint64_t *words)
{
	int nr = 0;

	words[nr++] = value_of(event);
	if (format & PERF_FORMAT_ID)
		words[nr++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[nr++] = 0;
	return nr;
}

int kernel__read(const struct event *event, uint64_t *words)
{
	uint64_t format = event->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	int nr = 0;

	if (group) {
		words[nr++] = 0;
		for (const struct event *e = event->leader; e; e = e->next)
			words[0]++;
	} else {
		words[nr++] = value_of(event);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[nr++] = NS;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[nr++] = running_of(event);
	if (group) {
		for (const struct event *e = event->leader; e; e = e->next)
			nr += add_words(e, format, words + nr);
		return nr;
	}
	if (format & PERF_FORMAT_ID)
		words[nr++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[nr++] = 0;
	return nr;
}
