// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/evlist.h"

#include <errno.h>
#include <stdlib.h>

#include "util/event/evsel.h"

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
