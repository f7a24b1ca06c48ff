/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of one pstat command, in the order in which they are printed. The first event of a
 * group is its leader, and the other members follow it. No other event is between the members of a
 * group, unless it was removed from the group because it is not counted on the same CPUs as the
 * leader (see builtin/stat/stat-cores.c).
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
 * Returns the index of the first event after index @after that is merged into the event at index
 * @into (see evsel.merge_into). Returns -1 if there is none. The search ends at an event that is
 * neither merged nor in the same group as the event at @into.
 */
int evlist__next_merged(const struct evlist *evlist, int into, int after);
/* Removes and frees the events at index @nr and later. */
void evlist__truncate(struct evlist *evlist, int nr);

#define evlist__for_each(evlist, evsel) \
	for (int pos_ = 0; pos_ < (evlist)->nr && ((evsel) = (evlist)->entries[pos_], 1); pos_++)

#endif
