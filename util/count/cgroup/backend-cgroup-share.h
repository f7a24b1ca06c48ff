/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that count cgroups find each other's leaders through one of pstat's pinned maps. It maps
 * the ID of a leader's link at the context switch to the ID of its link at moves of tasks. An ID
 * does not keep its link alive: a leader exists as long as any session has its links open, even if
 * sessions are killed.
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
 * counters cannot be shared, and cgroup_share__end() need not be called.
 */
int cgroup_share__begin(struct pinned_map *map, struct strbuf *why);
/* Removes the map if none of its leaders exists any more, and releases the lock. */
void cgroup_share__end(struct pinned_map *map);

/*
 * Moves to the next leader. Returns 0; -ENOENT after the last one; or another -errno, without a
 * reason. Deletes entries whose leaders no longer exist.
 */
int cgroup_share__next(const struct pinned_map *map, struct pinned_walk *walk,
		       struct cgroup_links *links);
/* Publishes the leader, so that other sessions find it. Returns 0 or -errno. Logs nothing. */
int cgroup_share__publish(const struct pinned_map *map, const struct cgroup_links *links);

/*
 * Assigns slots of a shared leader to the cgroups of @slots: @place[slot] is the leader's slot. A
 * cgroup that already has a slot there keeps it. @listed has the cgroups in the order of the list,
 * as @slots->of does. Returns 0; -E2BIG if the leader has no room or a cgroup is nested too deeply;
 * or another -errno.
 */
int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed,
			     uint32_t *place);

#endif
