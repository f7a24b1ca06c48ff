/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Joins a leader, which is a set of BPF programs that another session has loaded to count cgroups.
 * Each session that joins opens the programs' links, which keep the programs alive.
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
 * Opens the programs and maps of the leader with the links @links. Checks which user loaded the
 * programs, the types and names of the programs, the types, names and sizes of the maps, and the
 * version of their layout. Returns 0 and fills @object and @info. Returns -ENOENT, without a
 * reason, if the links no longer exist. On all other errors, the reason is in @why: -EINVAL if
 * these are not links of valid programs of this version; TRUSTED_PATH_REFUSED if another user has
 * loaded the programs; or another -errno, such as -EPERM.
 */
int cgroup_join__open(struct cgroup_object *object, const struct cgroup_links *links,
		      struct cgroup_info *info, struct strbuf *why);

/* Returns the ids of the links of an attached object. An unknown id is 0. */
struct cgroup_links cgroup_join__links(const struct cgroup_object *object);

#endif
