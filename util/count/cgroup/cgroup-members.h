/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups of a leader that sessions share (struct cgroup_member, by slot), as a tree. Sessions
 * may add cgroups at any time, but never remove one. A session does not know the paths of cgroups
 * that other sessions have listed. So each slot has the ids of the cgroups above its cgroup, and a
 * reader looks for the nearest of them that has a slot.
 */
#ifndef PSTAT_COUNT_CGROUP_MEMBERS_H
#define PSTAT_COUNT_CGROUP_MEMBERS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct cgroup;
struct cgroup_mount;

/*
 * Sets @parent[slot] for slots below @nr to the slot of the nearest cgroup above it; 0: none.
 * Returns 0 or -ENOMEM.
 */
int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr,
				 uint32_t *parent);

/*
 * Stores in @member the ids of @cgroup and of the cgroups above it. @last (NULL: none) was filled
 * for @last_cgroup; if both cgroups have the same parent, the ids are copied from it. Returns 0;
 * -E2BIG if there are too many cgroups above; or -ENOENT or another -errno if one of them cannot be
 * looked up.
 */
int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup,
			 struct cgroup_member *member, const struct cgroup *last_cgroup,
			 const struct cgroup_member *last);

#endif
