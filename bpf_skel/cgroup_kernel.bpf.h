/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Members of the kernel's structs. libbpf adjusts their offsets to the running kernel. For this
 * purpose, user space creates BTF that contains only these structs. The kernel's css_set has no
 * member `perf_cgroup`: the BTF uses this name for the element subsys[perf_event_cgrp_id].
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
	void *root; /* the hierarchy of the cgroup */
};

struct css_set {
	struct cgroup_subsys_state *perf_cgroup;
	struct cgroup *dfl_cgrp;
};

struct rq {
	__u64 clock; /* ns, updated at the start of a context switch */
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	/*
	 * value of sum_exec_runtime when the kernel last switched to the task; also updated when
	 * the kernel removes the running task from the scheduler's queues and adds it again (for
	 * example, at the task's exit)
	 */
	__u64 prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* missing in some kernels */
};

struct sched_info {
	__u64 last_arrival; /* value of rq.clock when the kernel last switched to the task */
};

struct task_struct {
	__s32 tgid;
	struct sched_entity se;
	struct sched_info sched_info; /* missing in some kernels */
	struct css_set *cgroups;
};
#pragma clang attribute pop

#endif
