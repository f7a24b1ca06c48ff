/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects the runs of -b and --scope that count by their task and its cgroups. */
#ifndef PSTAT_PROG_FILTER_BPF_H
#define PSTAT_PROG_FILTER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "prog_profiler.h"

/* set before load */
const volatile __u32 choosy = 0; /* not all runs are wanted: `filter` or `nr_cgroups` is set */
const volatile __u32 filter = PROG_FILTER_NONE;
/* pid namespace (device, inode) of the ids in `tasks` and in records; 0: the initial one */
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;
/* number of sets of sums; the set after those of the cgroups holds the runs in all cgroups */
const volatile __u32 nr_sets = 1;
const volatile __u32 nr_cgroups = 0; /* 0: runs in any cgroup count, in one set */

/*
 * id of a process or thread → unused. The runs of the tasks in this map count. Written by user
 * space.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u8));
	__uint(max_entries, 1);
} tasks SEC(".maps");

/* The cgroups whose runs count, in the order of the sets. Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} cgroups SEC(".maps");

static __always_inline bool task_is_wanted(void)
{
	struct bpf_pidns_info ids;
	__u64 id;
	__u32 key;

	if (filter == PROG_FILTER_NONE)
		return true;
	if (pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids)))
			return false;
		key = filter == PROG_FILTER_PROCESS ? ids.tgid : ids.pid;
	} else {
		id = bpf_get_current_pid_tgid();
		key = filter == PROG_FILTER_PROCESS ? id >> 32 : id;
	}
	return bpf_map_lookup_elem(&tasks, &key) != (void *)0;
}

/* Returns 1 if @found is 1, and 0 if it is 0 or an error, without a branch: see is_not_0(). */
static __always_inline __u64 is_1(long found)
{
	return found & ~(found >> 63) & 1;
}

/*
 * Returns whether a run in the current task counts. Sets a bit of @groups for each cgroup that the
 * task is in, and the bit after them if there is a set for runs in all cgroups.
 */
static __always_inline bool is_wanted(__u64 *groups)
{
	if (!task_is_wanted())
		return false;
	*groups = nr_sets > nr_cgroups ? 1ULL << nr_cgroups : 0;
	for (__u32 i = 0; i < PROG_MAX_CGROUPS && i < nr_cgroups; i++)
		*groups |= is_1(bpf_current_task_under_cgroup(&cgroups, i)) << i;
	return !nr_cgroups || *groups;
}

#endif
