/* SPDX-License-Identifier: GPL-2.0-only */
/* Which runs count: by the task that they run in and its control groups. */
#ifndef PSTAT_PROG_FILTER_BPF_H
#define PSTAT_PROG_FILTER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "prog_profiler.h"

/* set before load */
const volatile __u32 choosy = 0; /* not all runs are wanted: `filter` or `nr_cgroups` is set */
const volatile __u32 filter = PROG_FILTER_NONE;
const volatile __u64 pid_ns_dev = 0; /* of the namespace that ids of tasks are of, for user space; 0: the first one */
const volatile __u64 pid_ns_ino = 0;
const volatile __u32 nr_sets = 1;    /* of sums; those behind the control groups' have the runs in all of them */
const volatile __u32 nr_cgroups = 0; /* 0: runs in all of them count, in one set */

/* id of a process or thread → nothing: those whose runs count. Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u8));
	__uint(max_entries, 1);
} tasks SEC(".maps");

/* The control groups whose runs count, in the order of the sets. Written by user space. */
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

/* 1 or 0, an error being 0, without a branch: see is_not_0(). */
static __always_inline __u64 is_1(long found)
{
	return found & ~(found >> 63) & 1;
}

/* @groups: bit by bit, the control groups that the task is in. */
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
