/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that count control groups find each other's leaders through a pinned map of pstat's own: id of the attachment at the context
 * switch → of that at moves. Ids keep nothing alive: a leader lives as long as a session has its links open, also when all are killed.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_SHARE_H
#define PSTAT_COUNT_BACKEND_CGROUP_SHARE_H

#include <stdint.h>

#include "util/count/share/share-lock.h"

struct cgroup;
struct cgroup_links;
struct cgroup_mount;
struct cgroup_object;
struct cgroup_slots;
struct strbuf;

#define CGROUP_SHARE_PATH "/sys/fs/bpf/pstat_cgroups"

/* Between begin and end it is this session's turn. */
struct cgroup_share {
	int map_fd;
	struct share_lock lock;
};

/* 0, or -errno with the reason in @why: nothing can be shared, and cgroup_share__end() is not needed. */
int cgroup_share__begin(struct cgroup_share *share, struct strbuf *why);
/* Takes the map away when none of its leaders is left. */
void cgroup_share__end(struct cgroup_share *share);

/*
 * The leaders there are: 0 and the next of them, *@at is 0 at first; -ENOENT when there are no more; or
 * another -errno, without a reason. Leaders that are gone are removed on the way.
 */
int cgroup_share__next(const struct cgroup_share *share, uint32_t *at, struct cgroup_links *links);
/* Others find it from here on. 0 or -errno; tells nothing. */
int cgroup_share__publish(const struct cgroup_share *share, const struct cgroup_links *links);

/*
 * Gives the groups of @slots slots in a shared leader: @place[slot] is the leader's; those of groups that it has already are theirs.
 * @listed are by place in the list, as in @slots->of. 0; -E2BIG when it has no room for them or a group is too deep; or another -errno.
 */
int cgroup_share__add_groups(struct cgroup_object *object, const struct cgroup_mount *mount,
			     const struct cgroup_slots *slots, struct cgroup *const *listed, uint32_t *place);

#endif
