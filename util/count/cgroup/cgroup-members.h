/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of the cgroups that several sessions count with one leader (a shared set of BPF
 * programs). The leader counts each cgroup in a slot of its maps. The struct cgroup_member of a
 * slot describes the cgroup of the slot. Sessions can add cgroups at any time, but they never
 * remove cgroups. A session does not know the paths of cgroups that other sessions have added. So
 * each struct cgroup_member contains the ids of the ancestors of its cgroup. The parent of a slot
 * is the slot of the nearest ancestor that has one.
 */
#ifndef PSTAT_COUNT_CGROUP_MEMBERS_H
#define PSTAT_COUNT_CGROUP_MEMBERS_H

#include <linux/types.h>
#include <stdint.h>

#include "bpf_skel/cgroup_counter.h"

struct cgroup;
struct cgroup_mount;

/*
 * For each slot less than @nr, stores the slot's parent in @parent[slot], or 0 if the slot has no
 * parent. Returns 0 or -ENOMEM.
 */
int cgroup_members__find_parents(const struct cgroup_member *members, uint32_t nr,
				 uint32_t *parent);

/*
 * Stores in @member the ids of @cgroup and of the cgroups above it. @last is the member of
 * @last_cgroup, or NULL. If both cgroups have the same parent, copies the ids in `above` from @last
 * instead of looking them up. Returns 0; -E2BIG if there are more than CGROUP_MAX_ABOVE cgroups
 * above @cgroup; or another -errno.
 */
int cgroup_members__fill(const struct cgroup_mount *mount, const struct cgroup *cgroup,
			 struct cgroup_member *member, const struct cgroup *last_cgroup,
			 const struct cgroup_member *last);

#endif
