/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of one command, in the order of their rows. The leader is the first event of its
 * group. The other members follow it. Between them there are only events that were removed from the
 * group (see builtin/stat/stat-cores.c).
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
 * Returns the index of the next event after @after whose count is added to the event at index @into
 * in the output, or -1. Between these events there are only events of the same group, and merged
 * events.
 */
int evlist__next_merged(const struct evlist *evlist, int into, int after);
/* Frees the events from index @nr on. */
void evlist__truncate(struct evlist *evlist, int nr);

#define evlist__for_each(evlist, evsel) \
	for (int pos_ = 0; pos_ < (evlist)->nr && ((evsel) = (evlist)->entries[pos_], 1); pos_++)

#endif
