/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of the cgroups that the user listed. Each of these cgroups has a slot. The counts of a
 * task are added to one slot only: the slot of the nearest listed cgroup that contains the task.
 *
 *	listed: /a, /a/b/c, /d  slots: 0 (none), 1 /a, 2 /a/b/c, 3 /d
 *	    parents: -, 0, 1, 0
 *
 * Because only one slot is updated, the cost of a context switch does not depend on the depth of
 * the task's cgroup. The count of a cgroup is the sum of the counts of its slot and of the slots
 * below it.
 */
#ifndef PSTAT_COUNT_CGROUP_SLOTS_H
#define PSTAT_COUNT_CGROUP_SLOTS_H

#include <stdint.h>

struct cgroup;

struct cgroup_slots {
	/*
	 * number of slots (with --cgroup-follow, of slots in use), including slot 0, which has no
	 * cgroup
	 */
	uint32_t nr;
	/* for each slot, the slot of the nearest listed cgroup above the slot's cgroup; 0: none */
	uint32_t *parent;
	uint64_t *ids; /* for each slot, the id of its cgroup; 0 for slot 0 */
	/*
	 * number of cgroups in the user's list; with --cgroup-follow, the number of places (see
	 * cgroup_slots__new_places())
	 */
	int nr_listed;
	/*
	 * for each index in the user's list (with --cgroup-follow, for each place), the slot; a
	 * cgroup that is listed twice has only one slot
	 */
	uint32_t *of;
	/*
	 * With --cgroup-follow: for each slot, the path of its cgroup, or NULL if the slot has no
	 * cgroup, or if cgroup_slots__leave() was called for the slot's place. Without this option,
	 * `paths` is NULL.
	 */
	char **paths;
};

/* Makes slots for the cgroups in @listed. Returns NULL if there is not enough memory. */
struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr);
void cgroup_slots__free(struct cgroup_slots *slots);

/*
 * Makes slots for @nr places, for --cgroup-follow. A place is the index of a subject (subjects.h),
 * and place i has slot i + 1. No slot is in use yet. Returns NULL if there is not enough memory.
 */
struct cgroup_slots *cgroup_slots__new_places(int nr);
/* Marks the slots of @place and of all places before it as in use. */
void cgroup_slots__use(struct cgroup_slots *slots, int place);
/*
 * Assigns @place to the cgroup with the name @name and the id @id. Among the cgroups that have a
 * place, finds the nearest one above this cgroup, and makes its slot the parent of the slot of
 * @place. cgroup_slots__use() must already have been called for @place. Returns 0 or -ENOMEM.
 */
int cgroup_slots__place(struct cgroup_slots *slots, int place, const char *name, uint64_t id);
/*
 * Removes the path of the place's cgroup, so that cgroup_slots__place() no longer makes the slot of
 * this place a parent.
 */
void cgroup_slots__leave(struct cgroup_slots *slots, int place);

/*
 * @own contains the counts of each slot, indexed by [slot][cell]. Stores in @sums, for each slot,
 * the sum of its counts and of the counts of all slots below it (for slot 0, only its own counts).
 * @sums has the same layout as @own.
 */
void cgroup_slots__add_up(const struct cgroup_slots *slots, const uint64_t *own, uint64_t *sums,
			  uint32_t nr_cells);

#endif
