/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that count cgroups find each other's leaders through a pinned map of pstat's own. It
 * maps the id of the link at the context switch to the id of the link at moves. Ids keep nothing
 * alive: a leader exists as long as any session holds its links, however the sessions end.
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

/*
 * Takes the lock and opens the map. Returns 0, or -errno with the reason in @why. Nothing can be
 * shared then, and cgroup_share__end() need not be called.
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
 * Gives slots of a shared leader to the cgroups of @slots. @place[slot] is the leader's slot. A
 * cgroup that already has a slot there keeps it. @listed has the cgroups by their place in the
 * list, as in @slots->of. Returns 0; -E2BIG if the leader has no room or a cgroup is too deep; or
 * another -errno.
 */
int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed,
			     uint32_t *place);

#endif
