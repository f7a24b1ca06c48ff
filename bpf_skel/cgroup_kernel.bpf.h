/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the kernel's structs. libbpf relocates the offsets to the running kernel. It uses a BTF
 * that user space makes of only these few types. `perf_cgroup` is css_set's
 * subsys[perf_event_cgrp_id].
 */
#ifndef PSTAT_CGROUP_KERNEL_BPF_H
#define PSTAT_CGROUP_KERNEL_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kernfs_node {
	__u64 id;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
	__u64 serial_nr;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	void *root; /* the hierarchy that the cgroup belongs to */
};

struct css_set {
	struct cgroup_subsys_state *perf_cgroup;
	struct cgroup *dfl_cgrp;
};

struct rq {
	__u64 clock; /* ns, updated at the beginning of a context switch */
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	/*
	 * sum_exec_runtime when the task was last switched to, or when its place in the scheduler
	 * changed, as it does at exit
	 */
	__u64 prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* does not exist in every kernel */
};

struct sched_info {
	__u64 last_arrival; /* rq.clock when the task was last switched to */
};

struct task_struct {
	__s32 tgid;
	struct sched_entity se;
	struct sched_info sched_info; /* does not exist in every kernel */
	struct css_set *cgroups;
};
#pragma clang attribute pop

#endif
