// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/bperf/bperf-rest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-unit.h"
#include "util/count/counts.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

/* The maximum number of events to adopt from one leader: no leader shares more events. */
#define MAX_ADOPTED BPERF_MAX_SHARED

int bperf_rest__pick(struct bperf_rest *rest, struct backend_group *group,
		     const struct cpumap *cpus)
{
	const struct bperf_group *priv = group->priv;
	size_t room = (size_t)group->nr + 1;

	*rest = (struct bperf_rest){ .group = { .ops = group->ops,
						.cpus = cpus,
						.online = group->online,
						.why = group->why } };
	rest->numbers = calloc(room, sizeof(int));
	rest->group.evsels = calloc(room, sizeof(*rest->group.evsels));
	rest->group.counts = calloc(room, sizeof(*rest->group.counts));
	if (!rest->numbers || !rest->group.evsels || !rest->group.counts)
		return -ENOMEM;
	for (int event = 0; event < group->nr; event++) {
		if (priv->unit_of[event] >= 0 || group->counts[event]->open_err)
			continue;
		rest->numbers[rest->group.nr] = event;
		rest->group.evsels[rest->group.nr] = group->evsels[event];
		rest->group.counts[rest->group.nr++] = group->counts[event];
	}
	return 0;
}

static int grow(struct bperf_rest *rest, int more)
{
	size_t room = (size_t)(rest->group.nr + more) + 1;
	int *numbers = realloc(rest->numbers, sizeof(*numbers) * room);
	const struct evsel **evsels;
	struct counts **counts;

	if (!numbers)
		return -ENOMEM;
	rest->numbers = numbers;
	evsels = realloc(rest->group.evsels, sizeof(*evsels) * room);
	if (!evsels)
		return -ENOMEM;
	rest->group.evsels = evsels;
	counts = realloc(rest->group.counts, sizeof(*counts) * room);
	if (!counts)
		return -ENOMEM;
	rest->group.counts = counts;
	return 0;
}

static bool has_attr(const struct bperf_rest *rest, const union perf_attr *attr)
{
	for (int i = 0; i < rest->group.nr; i++)
		if (!memcmp(&rest->group.evsels[i]->attr, attr, sizeof(*attr)))
			return true;
	return false;
}

/* Adds an event of other sessions. pstat knows only the event's attr (perf_event_attr). */
static int add_adopted(struct bperf_rest *rest, const union perf_attr *attr)
{
	struct evsel *evsel = evsel__new();

	if (!evsel)
		return -ENOMEM;
	evsel->attr = *attr;
	evsel->name = strdup("an event of other sessions");
	if (!evsel->name || evlist__add(rest->adopted, evsel))
		return -ENOMEM;
	rest->numbers[rest->group.nr] = -1;
	rest->group.evsels[rest->group.nr] = evsel;
	rest->group.counts[rest->group.nr] = counts__new(evsel, rest->group.cpus, 1);
	return rest->group.counts[rest->group.nr++] ? 0 : -ENOMEM;
}

int bperf_rest__adopt(struct bperf_rest *rest, const struct pinned_map *map, uint32_t link_id)
{
	union perf_attr attrs[MAX_ADOPTED];
	int nr = attr_map__attrs_of(map, link_id, attrs, MAX_ADOPTED), err = grow(rest, nr);

	rest->adopted = rest->adopted ?: evlist__new();
	if (!rest->adopted)
		return -ENOMEM;
	for (int i = 0; !err && i < nr; i++)
		if (!has_attr(rest, &attrs[i]))
			err = add_adopted(rest, &attrs[i]);
	return err;
}

int bperf_rest__open(struct bperf_rest *rest, const struct pinned_map *map)
{
	return rest->group.nr ? bperf_events__open(&rest->open, &rest->group, map) : 0;
}

void bperf_rest__free(struct bperf_rest *rest)
{
	bperf_events__close(&rest->open);
	for (int i = 0; i < rest->group.nr; i++)
		if (rest->numbers[i] < 0)
			counts__free(rest->group.counts[i]);
	evlist__free(rest->adopted);
	free(rest->numbers);
	free(rest->group.evsels);
	free(rest->group.counts);
}
