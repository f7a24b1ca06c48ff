/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of one command, in the order of their rows. The leader is the first event of its
 * group. The other members follow it. Only events that were removed from the group can be between
 * them (see builtin/stat/stat-cores.c).
 */
#ifndef PSTAT_EVENT_EVLIST_H
#define PSTAT_EVENT_EVLIST_H

struct evsel;

struct evlist {
	int nr;
	struct evsel **entries; /* owned; entries[i]->idx == i */
	int room;
};

struct evlist *evlist__new(void);
void evlist__free(struct evlist *evlist);

/* Takes ownership of @evsel, even on error. Returns 0 or -ENOMEM. */
int evlist__add(struct evlist *evlist, struct evsel *evsel);
/*
 * Returns the index of the next event after @after that the output adds to the event at index
 * @into, or -1. Only events of the same group, and merged events, are between these events.
 */
int evlist__next_merged(const struct evlist *evlist, int into, int after);
/* Frees the events from index @nr on. */
void evlist__truncate(struct evlist *evlist, int nr);

#define evlist__for_each(evlist, evsel) \
	for (int pos_ = 0; pos_ < (evlist)->nr && ((evsel) = (evlist)->entries[pos_], 1); pos_++)

#endif
