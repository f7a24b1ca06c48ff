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
	uint32_t *parent; /* [slot]: smaller than the slot; 0 for those without a listed group above */
	uint64_t *ids;	  /* [slot]: of the group; of 0: none */
	int nr_listed;
	uint32_t *of; /* [place in the list] → slot; groups that are the same have one */
};

/* NULL without memory. */
struct cgroup_slots *cgroup_slots__new(struct cgroup *const *listed, int nr);
void cgroup_slots__free(struct cgroup_slots *slots);

/* @cells of each slot, nr_cells a row: adds to each row those of the slots below it. */
void cgroup_slots__add_up(const struct cgroup_slots *slots, uint64_t *cells, uint32_t nr_cells);

#endif
