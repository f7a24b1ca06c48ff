/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Joins a leader, which is a set of BPF programs that another session has loaded to count cgroups.
 * Each session that joins opens the programs' links, which keep the programs attached.
 */
#ifndef PSTAT_COUNT_BACKEND_CGROUP_JOIN_H
#define PSTAT_COUNT_BACKEND_CGROUP_JOIN_H

#include <stdint.h>

struct cgroup_info;
struct cgroup_object;
struct strbuf;

/* The ids of a leader's two links. An id does not keep its link alive. */
struct cgroup_links {
	uint32_t on_switch, on_move;
};

/*
 * Opens the programs and maps of the leader whose links have the ids @links. Checks the user who
 * loaded the programs; the programs' types and names; the maps' types, names and sizes; and the
 * version of the maps' layout. On success, fills @object and @info, and returns 0. Returns -ENOENT,
 * without a reason, if the links no longer exist. On all other errors, stores the reason in @why.
 * These errors are: -EINVAL if a link, program or map is not valid, or if the maps' layout has
 * another version; TRUSTED_PATH_REFUSED if the user who loaded the programs is neither root nor the
 * effective user; or another -errno, such as -EPERM.
 */
int cgroup_join__open(struct cgroup_object *object, const struct cgroup_links *links,
		      struct cgroup_info *info, struct strbuf *why);

/* Returns the ids of the links of an attached object. If an id cannot be read, it is 0. */
struct cgroup_links cgroup_join__links(const struct cgroup_object *object);

#endif
