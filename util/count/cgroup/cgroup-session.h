/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of a session that shares a leader (BPF programs that count for several sessions). The
 * leader always counts all cgroups that any session lists. A cgroup has a slot in the leader and a
 * slot in each session that lists it; the numbers of these slots can differ. A cell is one value of
 * a slot. The sums of a cgroup are the leader's counts in the slot of this cgroup, plus those in
 * the slots of all cgroups below it. The session's counts of a cgroup are the increases in these
 * sums while the session was enabled.
 *
 *	on  count = sums - cells
 *	    cells: the sums at the time of enabling, minus the session's earlier count
 *	off  count = cells
 *	    cells: the session's count
 *
 * So enabling and disabling are the same operation: cells = sums - cells.
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
	/* this session has `nr` slots, and each slot has `nr_cells` cells */
	uint32_t nr, nr_cells;
	uint32_t *place;	  /* for each slot, its cgroup's slot in the leader */
	uint64_t *cells;	  /* [CPU index][slot][cell] */
	struct cgroup_slots tree; /* the leader's tree; only `nr` and `parent` are set */
	/* the value of cgroup_control.generation when `tree` was read; 0: `tree` was never read */
	uint64_t generation;
};

/*
 * Makes a session with @nr slots. @nr_leader is the number of slots for which the leader has room.
 * Returns NULL if there is not enough memory.
 */
struct cgroup_session *cgroup_session__new(uint32_t nr, uint32_t nr_cells, uint32_t nr_leader,
					   int nr_cpus);
void cgroup_session__free(struct cgroup_session *session);

/*
 * Reads the leader's tree of cgroups into session->tree if the tree has changed since the previous
 * call. @members describes the cgroups in the leader's slots. @nr_leader is as in
 * cgroup_session__new(). Returns 0 or -ENOMEM.
 */
int cgroup_session__refresh(struct cgroup_session *session, const struct cgroup_control *control,
			    const struct cgroup_member *members, uint32_t nr_leader);
/*
 * Returns whether the leader's tree has stayed the same since the latest cgroup_session__refresh().
 * If the tree has changed, counts that were read after that call may be in slots that are not in
 * session->tree.
 */
bool cgroup_session__is_current(const struct cgroup_session *session,
				const struct cgroup_control *control);

/*
 * Enables or disables the session on a CPU. @cpu is the index of the CPU. @sums are the sums of the
 * leader's slots on this CPU (cgroup_slots__add_up()).
 */
void cgroup_session__toggle(struct cgroup_session *session, int cpu, const uint64_t *sums);
/*
 * Stores the session's counts on a CPU in @counts, indexed by [slot of the session][cell]. @cpu and
 * @sums are as in cgroup_session__toggle(). @on is true if the session is enabled.
 */
void cgroup_session__count(const struct cgroup_session *session, int cpu, const uint64_t *sums,
			   int on, uint64_t *counts);

#endif
