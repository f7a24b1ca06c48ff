/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses the programs for cgroups that another session has loaded. Their links keep the programs
 * alive.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_JOIN_H
#define PSTAT_COUNT_BACKEND_CGROUP_JOIN_H

#include <stdint.h>

struct cgroup_info;
struct cgroup_object;
struct strbuf;

/* The ids of the links. An id does not keep its link alive. */
struct cgroup_links {
	uint32_t on_switch, on_move;
};

/*
 * Joins the programs of another session. Returns 0 and fills @object and @info. Errors: -ENOENT if
 * the links no longer exist; -EINVAL if they are not links of such programs, or if the programs
 * have another version; TRUSTED_PATH_REFUSED if another user has loaded the programs; -EPERM and
 * others. The reason is in @why, except for -ENOENT. The function trusts nothing: it checks users,
 * types, names and sizes.
 */
int cgroup_join__open(struct cgroup_object *object, const struct cgroup_links *links,
		      struct cgroup_info *info, struct strbuf *why);

/* Returns the ids of the links of an attached object; 0: not known. */
struct cgroup_links cgroup_join__links(const struct cgroup_object *object);

#endif
