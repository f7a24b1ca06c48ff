/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counted cgroups as a tree. The counts of a task are added to one slot: that of its nearest
 * listed cgroup.
 *
 *	listed: /a, /a/b/c, /d  slots: 0 (none), 1 /a, 2 /a/b/c, 3 /d
 *	    parents: -, 0, 1, 0
 *
 * So a context switch costs the same at any depth. The count of a cgroup is the sum of its slot and
 * the slots below it.
 */
#ifndef PSTAT_COUNT_CGROUP_SLOTS_H
#define PSTAT_COUNT_CGROUP_SLOTS_H

#include <stdint.h>

struct cgroup;

struct cgroup_slots {
	uint32_t nr;	  /* number of slots, including slot 0, which has no cgroup */
	uint32_t *parent; /* [slot]: the slot of the listed cgroup above it; 0: none */
	uint64_t *ids;	  /* [slot]: the id of its cgroup; 0 for slot 0 */
	int nr_listed;
	uint32_t *of; /* [index in the list] → slot; equal cgroups have the same slot */
	/*
	 * [slot], if pstat follows cgroups: the path of an existing cgroup, otherwise NULL. The
	 * pointer is NULL if pstat does not follow cgroups
	 */
	char **paths;
};

/* Returns NULL if memory ran out. */
struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr);
void cgroup_slots__free(struct cgroup_slots *slots);

/*
 * Makes slots for at most @nr cgroups that are created and removed. Place i has slot i + 1. No slot
 * is in use yet. Returns NULL if memory ran out.
 */
struct cgroup_slots *cgroup_slots__new_places(int nr);
/* From now on, the slots of @place and of all places before it are in use. */
void cgroup_slots__use(struct cgroup_slots *slots, int place);
/*
 * Assigns the place, whose slot is in use, to the cgroup @name, and finds the nearest existing
 * cgroup above it. A new cgroup has none below it. Returns 0 or -ENOMEM.
 */
int cgroup_slots__place(struct cgroup_slots *slots, int place, const char *name, uint64_t id);
/* Records that the cgroup of the place no longer exists. */
void cgroup_slots__leave(struct cgroup_slots *slots, int place);

/*
 * Adds up the tree. @own has the cells of each slot, nr_cells in a row. @sums has the same size;
 * its rows also contain the slots below.
 */
void cgroup_slots__add_up(const struct cgroup_slots *slots, const uint64_t *own, uint64_t *sums,
			  uint32_t nr_cells);

#endif
