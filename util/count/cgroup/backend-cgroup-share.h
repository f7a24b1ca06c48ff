/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that count cgroups find each other's leaders through a pinned map. A leader consists of
 * the BPF programs that count for several sessions. The map has an entry for each leader. The key
 * is the ID of the leader's link at sched_switch, and the value is the ID of its link at
 * cgroup_attach_task. A leader exists as long as any session has these links open. The IDs in the
 * map do not keep the links alive.
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
 * Takes the lock of the map, and opens the map. Creates the map if there is none. Returns 0, or
 * -errno with the reason in @why. On error, releases the lock.
 */
int cgroup_share__begin(struct pinned_map *map, struct strbuf *why);
/*
 * Removes the map if none of the leaders in it exists any longer. Then closes the map, and releases
 * the lock.
 */
void cgroup_share__end(struct pinned_map *map);

/*
 * Stores in @links the next entry whose leader still exists. Deletes the entries that it skips.
 * Returns 0; -ENOENT after the last entry; or another -errno.
 */
int cgroup_share__next(const struct pinned_map *map, struct pinned_walk *walk,
		       struct cgroup_links *links);
/* Adds the leader with the links @links to the map. Returns 0 or -errno. */
int cgroup_share__publish(const struct pinned_map *map, const struct cgroup_links *links);

/*
 * Assigns slots of the shared leader @object to the session's cgroups. A cgroup can have one slot
 * number in the leader and another one in the session (@slots). For each slot in @slots, sets
 * @place[slot] to the leader's slot for the same cgroup. A cgroup that already has a slot in the
 * leader keeps it. @listed contains the cgroups in the order of the user's list; @slots->of[i] is
 * the session's slot of @listed[i]. Returns 0; -E2BIG if the leader has too few free slots, or if a
 * cgroup has more than CGROUP_MAX_ABOVE cgroups above it; or another -errno.
 */
int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed,
			     uint32_t *place);

#endif
