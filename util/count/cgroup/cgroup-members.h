/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of the cgroups that sessions count with a shared leader. Each slot of the leader has a
 * struct cgroup_member. Sessions may add cgroups at any time, but never remove them. A session does
 * not know the paths of cgroups that other sessions have listed. So each member contains the ids of
 * the cgroups above it, and a reader looks for the nearest one that has a slot.
 */
#ifndef PSTAT_COUNT_CGROUP_MEMBERS_H
#define PSTAT_COUNT_CGROUP_MEMBERS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct cgroup;
struct cgroup_mount;

/*
 * Sets @parent[slot], for all slots less than @nr, to the slot of the nearest cgroup above, or to 0
 * if there is none. Returns 0 or -ENOMEM.
 */
int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr,
				 uint32_t *parent);

/*
 * Stores in @member the ids of @cgroup and of the cgroups above it. If @last_cgroup has the same
 * parent, copies the ids from its member @last. @last may be NULL. Returns 0; -E2BIG if there are
 * more than CGROUP_MAX_ABOVE cgroups above; or another -errno if an id cannot be looked up.
 */
int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup,
			 struct cgroup_member *member, const struct cgroup *last_cgroup,
			 const struct cgroup_member *last);

#endif
