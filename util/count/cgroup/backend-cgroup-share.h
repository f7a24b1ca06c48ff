/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that count cgroups find each other's leaders through a pinned map. A leader consists of
 * the BPF programs that count for several sessions. The map contains the IDs of each leader's two
 * links: the link at the context switch (key), and the link at moves of tasks (value). A leader
 * exists as long as any session has its links open. IDs do not keep links alive.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_SHARE_H
#define PSTAT_COUNT_BACKEND_CGROUP_SHARE_H

#include <stdint.h>

#include "util/count/share/pinned-map.h"

struct cgroup;
struct cgroup_links;
struct cgroup_mount;
struct cgroup_object;
struct cgroup_slots;
struct strbuf;

#define CGROUP_SHARE_PATH "/sys/fs/bpf/pstat_cgroups"

extern const struct pinned_map_kind cgroup_share_kind;

/*
 * Takes the lock and opens the map. Returns 0, or -errno with the reason in @why. On error,
 * releases the lock.
 */
int cgroup_share__begin(struct pinned_map *map, struct strbuf *why);
/* Removes the map if none of its leaders exists any longer, and releases the lock. */
void cgroup_share__end(struct pinned_map *map);

/*
 * Reads the next entry of the map. Deletes entries whose leaders no longer exist. Returns 0;
 * -ENOENT after the last entry; or another -errno without a reason.
 */
int cgroup_share__next(const struct pinned_map *map, struct pinned_walk *walk,
		       struct cgroup_links *links);
/* Adds the leader to the map. Returns 0, or -errno without a reason. */
int cgroup_share__publish(const struct pinned_map *map, const struct cgroup_links *links);

/*
 * Assigns slots of a shared leader to the session's cgroups. Sets @place[slot of @slots] to the
 * leader's slot. Cgroups that already have a slot in the leader keep it. @listed are the cgroups in
 * the order of the user's list, as in @slots->of. Returns 0; -E2BIG if the leader has no room, or
 * if a cgroup is nested too deeply; or another -errno.
 */
int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed,
			     uint32_t *place);

#endif
