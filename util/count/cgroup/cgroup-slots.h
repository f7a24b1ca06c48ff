/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control groups of a count as a tree. A task counts for one slot only, that of the nearest group above it that is listed:
 *
 *	listed: /a, /a/b/c, /d		slots: 0 (none), 1 /a, 2 /a/b/c, 3 /d		parents: -, 0, 1, 0
 *
 * so that a switch costs the same at any depth, and what a group counted is the sum of its slot and those below.
 */
#ifndef PSTAT_COUNT_CGROUP_SLOTS_H
#define PSTAT_COUNT_CGROUP_SLOTS_H

#include <stdint.h>

struct cgroup;

struct cgroup_slots {
	uint32_t nr;	  /* of slots, that of no listed group (0) included */
	uint32_t *parent; /* [slot]: 0 for those without a listed group above */
	uint64_t *ids;	  /* [slot]: of the group; of 0: none */
	int nr_listed;
	uint32_t *of; /* [place in the list] → slot; groups that are the same have one */
	char **paths; /* [slot], for groups that come and go: of those that live, else NULL; NULL for others */
};

/* NULL without memory. */
struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr);
void cgroup_slots__free(struct cgroup_slots *slots);

/*
 * Makes slots for at most @nr groups that come and go: place i has slot i + 1, and none is in use yet. NULL without memory.
 */
struct cgroup_slots *cgroup_slots__new_places(int nr);
/* The slot of @place, and those of all places before it, are in use from now on. */
void cgroup_slots__use(struct cgroup_slots *slots, int place);
/*
 * The group @name takes the place, whose slot is in use. Finds the nearest group above it among those that live. A group that was
 * just made has none below it. 0 or -ENOMEM.
 */
int cgroup_slots__place(struct cgroup_slots *slots, int place, const char *name, uint64_t id);
/* The group of the place does not live any more. */
void cgroup_slots__leave(struct cgroup_slots *slots, int place);

/* @own are the cells of each slot, nr_cells a row; @sums, of the same size, are those with the slots below added. */
void cgroup_slots__add_up(const struct cgroup_slots *slots, const uint64_t *own, uint64_t *sums, uint32_t nr_cells);

#endif
