/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting programs by control group that another session has loaded: used as if they were one's own, and kept alive by their links. */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_JOIN_H
#define PSTAT_COUNT_BACKEND_CGROUP_JOIN_H

#include <stdint.h>

struct cgroup_info;
struct cgroup_object;
struct strbuf;

/* Ids of the attachments, which keep nothing alive. */
struct cgroup_links {
	uint32_t on_switch, on_move;
};

/*
 * 0 with @object and @info; -ENOENT when the links are gone, -EINVAL when they are no such programs' or another version's,
 * TRUSTED_PATH_REFUSED when another user has loaded these, -EPERM and others, with the reason in @why unless they are gone. Nothing is
 * trusted: users, types, names, sizes are looked at.
 */
int cgroup_object__join(struct cgroup_object *object, const struct cgroup_links *links, struct cgroup_info *info,
			struct strbuf *why);

/* Of one that is attached; 0: not known. */
struct cgroup_links cgroup_object__links(const struct cgroup_object *object);

#endif
