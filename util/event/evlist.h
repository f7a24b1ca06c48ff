/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of one command, in the order of their rows. The leader is the first event of its group. Between
 * the members of a group are only events that have left it (see builtin/stat/stat-cores.c).
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

/* Takes @evsel over, also when it fails: 0 or -ENOMEM. */
int evlist__add(struct evlist *evlist, struct evsel *evsel);
/* Adds copies of the first @nr events, with groups of their own. 0 or -ENOMEM, and then none. */
int evlist__repeat(struct evlist *evlist, int nr);
/*
 * The index of the next event after index @after that the output adds into the event at index @into; -1 after the last. Such
 * events are near it: only events of its group, and others that are added into events, are between them.
 */
int evlist__next_merged(const struct evlist *evlist, int into, int after);
/* Frees the events from index @nr on. */
void evlist__truncate(struct evlist *evlist, int nr);

#define evlist__for_each(evlist, evsel) \
	for (int pos_ = 0; pos_ < (evlist)->nr && ((evsel) = (evlist)->entries[pos_], 1); pos_++)

#endif
