/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects, by task and by cgroup, the runs that -b and --scope count.
 */
#ifndef PSTAT_PROG_FILTER_BPF_H
#define PSTAT_PROG_FILTER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "prog_profiler.h"

/* set before load */
/*
 * used only by -b; nonzero: `filter` or `nr_cgroups` is not 0, so is_wanted() must check each run
 */
const volatile __u32 choosy = 0;
const volatile __u32 filter = PROG_FILTER_NONE;
/*
 * device and inode of the pid namespace of the ids in `tasks` and in the records of --outliers;
 * both 0: the initial namespace
 */
const volatile __u64 pid_ns_dev = 0;
const volatile __u64 pid_ns_ino = 0;
/*
 * number of sets of runs; each set has its own sums (struct prog_set, struct scope_totals). There
 * is one set for each cgroup, and one for all runs if there are no cgroups or some events have no
 * cgroup
 */
const volatile __u32 nr_sets = 1;
const volatile __u32 nr_cgroups = 0; /* 0: runs in all cgroups are counted, in one set */

/*
 * Ids of the processes or threads whose runs are counted. User space writes the map. With --scope
 * --per-thread, each value (__u32) is the number of the thread's row of the report (see scope.h).
 * Otherwise, the values are unused. Before load, user space sets the sizes of the map (--scope) or
 * replaces the map (-b).
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u8));
	__uint(max_entries, 1);
} tasks SEC(".maps");

/* The cgroups whose runs are counted, in the order of their sets. User space writes the map. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} cgroups SEC(".maps");

/* Returns the value of the current task in `tasks`, or NULL if the task is not in this map. */
static __always_inline void *find_task(void)
{
	struct bpf_pidns_info ids;
	__u64 id;
	__u32 key;

	if (pid_ns_ino) {
		if (bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids)))
			return (void *)0;
		key = filter == PROG_FILTER_PROCESS ? ids.tgid : ids.pid;
	} else {
		id = bpf_get_current_pid_tgid();
		key = filter == PROG_FILTER_PROCESS ? id >> 32 : id;
	}
	return bpf_map_lookup_elem(&tasks, &key);
}

static __always_inline bool task_is_wanted(void)
{
	return filter == PROG_FILTER_NONE || find_task() != (void *)0;
}

/*
 * Returns 1 if @found is 1, or 0 if @found is 0 or an error. The function contains no branch,
 * because the verifier examines both sides of each branch, and the loop in is_wanted() would
 * multiply the number of paths.
 */
static __always_inline __u64 is_1(long found)
{
	return found & ~(found >> 63) & 1;
}

/*
 * Returns whether a run in the current task is counted. In *@groups, sets bit i if entry i of
 * `cgroups` is a cgroup that contains the task. If there is a set for all runs, also sets the bit
 * of this set, which follows the bits of the cgroups.
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
