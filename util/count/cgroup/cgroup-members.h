/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups of a leader that sessions share (struct cgroup_member, by slot), as a tree. Sessions only add to it, at any time, and none
 * knows the paths that others have listed: each slot has the ids of the groups above it, and who reads finds the nearest that has a
 * slot.
 */
#ifndef PSTAT_COUNT_CGROUP_MEMBERS_H
#define PSTAT_COUNT_CGROUP_MEMBERS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct cgroup;
struct cgroup_mount;

/* Fills @parent[slot] for slots below @nr: the slot of the nearest group above it, 0 for none. 0 or -ENOMEM. */
int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr, uint32_t *parent);

/*
 * Fills @member with the ids of @cgroup and of those above it. @last, NULL without, is another that was filled for @last_cgroup: where
 * both stand in the same group nothing is looked up. 0; -E2BIG when there are too many; -ENOENT and others when one cannot be looked up.
 */
int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup, struct cgroup_member *member,
			 const struct cgroup *last_cgroup, const struct cgroup_member *last);

#endif
