/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session has of a leader that it shares: the leader counts for ever, and all that any session lists. A session's count of a group
 * is how much the group and those below it have come on while the session was on.
 *
 *	on	count = sums - cells		cells: the sums when it was switched on, less what it had counted by then
 *	off	count = cells			cells: what it has counted
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
	uint32_t nr, nr_cells;	  /* slots of its own, cells of a row */
	uint32_t *place;	  /* [slot] → the leader's slot */
	uint64_t *cells;	  /* [CPU index][slot][cell] */
	struct cgroup_slots tree; /* nr and parent, of the leader as it was at the … */
	uint64_t generation;	  /* 0: not known yet */
};

/* For @nr slots of its own in a leader that has room for @nr_leader. NULL without memory. */
struct cgroup_session *cgroup_session__new(uint32_t nr, uint32_t nr_cells, uint32_t nr_leader, int nr_cpus);
void cgroup_session__free(struct cgroup_session *session);

/* Brings the tree up to date. 0 or -ENOMEM. */
int cgroup_session__refresh(struct cgroup_session *session, const struct cgroup_control *control,
			    const struct cgroup_member *members, uint32_t nr_leader);
/* Is the tree still that of all rows that were read since it was refreshed? If not they may be those of slots that it lacks. */
bool cgroup_session__is_current(const struct cgroup_session *session, const struct cgroup_control *control);

/* From off to on or back: @sums are those of the leader's slots on the CPU. */
void cgroup_session__toggle(struct cgroup_session *session, int cpu, const uint64_t *sums);
/* Puts what the session has counted on the CPU in its own slots' order into @counts. */
void cgroup_session__count(const struct cgroup_session *session, int cpu, const uint64_t *sums, int on,
			   uint64_t *counts);

#endif
