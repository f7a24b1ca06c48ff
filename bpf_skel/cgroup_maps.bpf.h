/* SPDX-License-Identifier: GPL-2.0-only */
/* The constants and maps of the programs that count by cgroup. */
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
/* the cgroups are those of the cgroup v1 perf_event hierarchy */
const volatile bool use_v1 = false;

/* id of the mounted cgroup; in a cgroup namespace this is not the root of the hierarchy */
const volatile __u64 root_id = 0;

/* count while the gate of --start and --stop is open */
const volatile bool gated = false;

/* Variables that change while the program runs; user space maps them. */
struct cgroup_control control SEC(".data.control") = { .generation = 1, .epoch = 1, .nr_used = 1 };

/*
 * event × nr_cpus + CPU id → perf event, plain events first. The events stay when the session that
 * added them ends. Written by user space, read here.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* id of a cgroup → its slot. Written by user space, and here for new cgroups; read here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u32);
	__uint(max_entries, 1);
} slots SEC(".maps");

/*
 * CPU id → struct cgroup_cpu and two rows of cells. Written here, read by user space, which sets
 * the size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct cgroup_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/*
 * CPU id × nr_slots + slot → a row of cells. Written here by that CPU, read by user space, which
 * sets the size before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} rows SEC(".maps");

/* Slots for new cgroups. Filled by user space, emptied here. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__type(value, __u32);
	__uint(max_entries, CGROUP_RESERVE);
} reserve SEC(".maps");

/*
 * process id → time in ns at which the process or one of its threads was last moved. Written and
 * read here; the least recently used entries make room for new ones.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1024);
} moves SEC(".maps");

/*
 * Messages to user space: 8 bytes for each moved task that needs its attention, and a struct
 * cgroup_message for each cgroup that is made or removed.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/* 0 → a row of cells: the reading at a point. Used by the program that holds the gate's lock. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} at_point SEC(".maps");

/*
 * The maps `info` and `members` describe a leader that sessions share. No code here uses them. User
 * space binds them to the program, so that they exist as long as it does, and other sessions read
 * there what the leader counts. `info` has one entry; `members` maps a slot to its cgroup.
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
