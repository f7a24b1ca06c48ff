// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-fds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/event/evsel.h"

struct prog_fds {
	struct backend_group once; /* a copy of the group, in which each event occurs once */
	struct event_fds *fds;
	int *firsts; /* for each event of the group, the result of prog_fds__first_of() */
	int *places; /* for each event of the group, its index in `once` */
};

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ?: "", b ?: "");
}

/* Returns whether @a and @b are the same event for different cgroups. */
static bool is_again(const struct evsel *a, const struct evsel *b)
{
	return a->cgroup != b->cgroup && a->tool == TOOL_NONE && b->tool == TOOL_NONE &&
	       !memcmp(&a->attr, &b->attr, sizeof(a->attr)) && same_text(a->name, b->name) &&
	       same_text(a->filter, b->filter) && same_text(a->pmu_name, b->pmu_name) &&
	       a->leader->nr_members == b->leader->nr_members;
}

/* Returns the index of the first event that is @event or the same event for another cgroup. */
static int find_first(const struct backend_group *group, int event)
{
	for (int first = 0; first < event; first++)
		if (is_again(group->evsels[first], group->evsels[event]))
			return first;
	return event;
}

static int list_events(struct prog_fds *fds, const struct backend_group *group)
{
	size_t nr = (size_t)group->nr + 1;

	fds->firsts = calloc(nr, sizeof(int));
	fds->places = calloc(nr, sizeof(int));
	fds->once = *group;
	fds->once.nr = 0;
	fds->once.subjects = NULL; /* each event is opened once for all subjects */
	fds->once.evsels = calloc(nr, sizeof(*fds->once.evsels));
	fds->once.counts = calloc(nr, sizeof(struct counts *));
	if (!fds->firsts || !fds->places || !fds->once.evsels || !fds->once.counts)
		return -ENOMEM;
	for (int event = 0; event < group->nr; event++) {
		int first = find_first(group, event);

		fds->firsts[event] = first;
		fds->places[event] = first < event ? fds->places[first] : fds->once.nr;
		if (first < event)
			continue;
		fds->once.evsels[fds->once.nr] = group->evsels[event];
		fds->once.counts[fds->once.nr++] = group->counts[event];
	}
	return 0;
}

/* Copies the result of opening each event to the counts of the same event for other cgroups. */
static void spread_errors(const struct prog_fds *fds, const struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++) {
		const struct counts *first = group->counts[fds->firsts[event]];
		struct counts *counts = group->counts[event];

		if (first == counts)
			continue;
		counts->left_out = first->left_out;
		if (first->open_err)
			counts__set_unsupported(counts, first->open_err, first->why_not);
	}
}

/* Refuses uncore events, which count a whole CPU package and not only a BPF program. */
static void refuse_uncore(const struct backend_group *group)
{
	static const char why[] = "it counts a whole package, not a BPF program";

	for (int event = 0; event < group->nr; event++) {
		if (!group->evsels[event]->is_uncore)
			continue;
		pr_info("%s: %s", group->evsels[event]->name, why);
		counts__set_unsupported(group->counts[event], -EOPNOTSUPP, why);
	}
}

int prog_fds__open(struct backend_group *group, struct prog_fds **out)
{
	struct event_open_how how = { .disabled = false };
	struct prog_fds *fds = calloc(1, sizeof(*fds));
	int err = fds ? list_events(fds, group) : -ENOMEM;

	*out = NULL;
	refuse_uncore(group);
	err = err ?: event_fds__open(&fds->once, &how, &fds->fds);
	if (err) {
		prog_fds__close(fds);
		return err;
	}
	spread_errors(fds, group);
	*out = fds;
	return 0;
}

void prog_fds__close(struct prog_fds *fds)
{
	if (!fds)
		return;
	event_fds__give_counters_back(fds->fds);
	event_fds__close(fds->fds);
	free(fds->once.evsels);
	free(fds->once.counts);
	free(fds->firsts);
	free(fds->places);
	free(fds);
}

int prog_fds__get(const struct prog_fds *fds, int event, int cpu)
{
	return event_fds__get(fds->fds, fds->places[event], cpu, 0);
}

int prog_fds__get_of_another(const struct prog_fds *fds, int event, int cpu)
{
	return event_fds__get_of_another(fds->fds, fds->places[event], cpu);
}

int prog_fds__follow_cpus(struct prog_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			  void *ctx)
{
	return event_fds__follow_cpus(fds->fds, online, fn, ctx);
}

int prog_fds__read_total(const struct prog_fds *fds, int event, int cpu, struct reading *total)
{
	return event_fds__read_total(fds->fds, fds->places[event], cpu, 0, total);
}

int prog_fds__first_of(const struct prog_fds *fds, int event)
{
	return fds->firsts[event];
}
