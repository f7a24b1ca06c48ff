/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session has of a leader that it shares: the leader counts for ever, and all that any
 * session lists. A session's count of a group is how much the group and those below it have come on
 * while the session was on.
 *
 *	on  count = sums - cells
 *	    cells: the sums when it was switched on, less what it had counted by then
 *	off  count = cells
 *	    cells: what it has counted
 *
 * so that switching on and off are the same: cells = sums - cells.
 */
#ifndef PSTAT_COUNT_CGROUP_SESSION_H
#define PSTAT_COUNT_CGROUP_SESSION_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/count/cgroup/cgroup-slots.h"

struct cgroup_control;
struct cgroup_member;

struct cgroup_session {
	uint32_t nr, nr_cells;	  /* slots of this session; cells of a row */
	uint32_t *place;	  /* [slot] → the leader's slot */
	uint64_t *cells;	  /* [CPU index][slot][cell] */
	struct cgroup_slots tree; /* nr and parent, of the leader as it was at the … */
	uint64_t generation;	  /* 0: not known yet */
};

/*
 * Makes a session with @nr slots in a leader that has room for @nr_leader. Returns NULL if there is
 * no memory.
 */
struct cgroup_session *cgroup_session__new(uint32_t nr, uint32_t nr_cells, uint32_t nr_leader,
					   int nr_cpus);
void cgroup_session__free(struct cgroup_session *session);

/* Updates the tree. Returns 0 or -ENOMEM. */
int cgroup_session__refresh(struct cgroup_session *session, const struct cgroup_control *control,
			    const struct cgroup_member *members, uint32_t nr_leader);
/*
 * Returns whether the tree describes all rows that were read since it was refreshed. If not, the
 * rows may contain slots that the tree lacks.
 */
bool cgroup_session__is_current(const struct cgroup_session *session,
				const struct cgroup_control *control);

/* Changes from disabled to enabled or back. @sums are those of the leader's slots on the CPU. */
void cgroup_session__toggle(struct cgroup_session *session, int cpu, const uint64_t *sums);
/* Stores the session's counts on the CPU in @counts, in the order of its own slots. */
void cgroup_session__count(const struct cgroup_session *session, int cpu, const uint64_t *sums,
			   int on, uint64_t *counts);

#endif
