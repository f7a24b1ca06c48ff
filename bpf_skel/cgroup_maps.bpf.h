/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs that count by control group are set up with, and their maps. */
#ifndef PSTAT_CGROUP_MAPS_BPF_H
#define PSTAT_CGROUP_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "cgroup_counter.h"

/* set before load */
const volatile __u32 nr_plain = 0;
const volatile __u32 nr_timed = 0;
const volatile __u32 nr_cells = CGROUP_CELL_PLAIN;
const volatile __u32 nr_cpus = 1; /* largest possible CPU id + 1 */
const volatile __u32 nr_slots = 1;
const volatile bool use_v1 = false; /* the groups are of v1's perf_event hierarchy */

const volatile __u64 root_id = 0; /* of the group that is mounted: in a cgroup namespace not the hierarchy's own root */

/* What may change while it runs; user space maps it. */
struct cgroup_control control SEC(".data.control") = { .generation = 1, .epoch = 1, .nr_used = 1 };

/* event × nr_cpus + CPU id → the perf event there, plain ones first. They stay when who put them in has gone. Written by user space, read here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* id of a control group → its slot. Written by user space, and here for groups that are made; read here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u32);
	__uint(max_entries, 1);
} slots SEC(".maps");

/* CPU id → struct cgroup_cpu and two rows of cells. Written here, read by user space; the size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct cgroup_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/* CPU id × nr_slots + slot → a row of cells. Written here by that CPU, read by user space; the size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} rows SEC(".maps");

/* Slots for groups to come. Filled by user space, emptied here. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__type(value, __u32);
	__uint(max_entries, CGROUP_RESERVE);
} reserve SEC(".maps");

/* process → when it, or a thread of it, was moved last, in ns. Written and read here; those of long ago make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1024);
} moves SEC(".maps");

/* For each move of a task that user space is to look after 8 bytes, for each group made or removed a struct cgroup_message. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/*
 * Of a leader that sessions share. No code here uses them: bound to the program by user space they live as long, and tell other
 * sessions what it counts. The one struct cgroup_info; slot → its group. Written by user space, read there.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct cgroup_info);
	__uint(max_entries, 1);
} info SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct cgroup_member);
	__uint(max_entries, 1);
} members SEC(".maps");

#endif
