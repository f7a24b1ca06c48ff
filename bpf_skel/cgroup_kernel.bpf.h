/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the kernel's structs. Offsets come from the running kernel, by way of a BTF that user space makes of these few types
 * alone. `perf_cgroup` stands for css_set's subsys[perf_event_cgrp_id].
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
	void *root; /* of the hierarchy */
};

struct css_set {
	struct cgroup_subsys_state *perf_cgroup;
	struct cgroup *dfl_cgrp;
};

struct rq {
	__u64 clock; /* ns, as it was at the beginning of a switch */
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 prev_sum_exec_runtime; /* when it was switched to last, or its place in the scheduler changed, as it does at exit */
	struct cfs_rq *cfs_rq; /* not in each kernel */
};

struct sched_info {
	__u64 last_arrival; /* rq.clock when it was switched to last */
};

struct task_struct {
	__s32 tgid;
	struct sched_entity se;
	struct sched_info sched_info; /* not in each kernel */
	struct css_set *cgroups;
};
#pragma clang attribute pop

#endif
