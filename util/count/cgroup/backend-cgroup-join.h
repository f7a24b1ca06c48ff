/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses the programs for cgroups that another session has loaded as if this session had loaded them.
 * Their links keep them alive.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_JOIN_H
#define PSTAT_COUNT_BACKEND_CGROUP_JOIN_H

#include <stdint.h>

struct cgroup_info;
struct cgroup_object;
struct strbuf;

/* Ids of the links. They keep nothing alive. */
struct cgroup_links {
	uint32_t on_switch, on_move;
};

/*
 * Joins the programs of another session. Returns 0 and fills @object and @info. Errors: -ENOENT if
 * the links are gone; -EINVAL if they are not links of such programs, or of another version;
 * TRUSTED_PATH_REFUSED if another user has loaded the programs; -EPERM and others. The reason is in
 * @why, except for -ENOENT. Nothing is trusted: the function checks users, types, names and sizes.
 */
int cgroup_object__join(struct cgroup_object *object, const struct cgroup_links *links,
			struct cgroup_info *info, struct strbuf *why);

/* Returns the ids of an attached object; 0: not known. */
struct cgroup_links cgroup_object__links(const struct cgroup_object *object);

#endif
