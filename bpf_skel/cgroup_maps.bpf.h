/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The constants and maps of the programs that count by cgroup. cgroup_counter.h explains slots,
 * rows, cells and shared leaders.
 */
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
/* true: cgroups of the perf_event hierarchy of cgroup v1; false: cgroups of cgroup v2 */
const volatile bool use_v1 = false;

/*
 * id of the mounted cgroup (the cgroup at the mount point of the hierarchy); in a cgroup namespace,
 * the mounted cgroup can be below the root of the hierarchy
 */
const volatile __u64 root_id = 0;

/* with --start or --stop: the programs count only while the gate is open (gate.h) */
const volatile bool gated = false;

/* Variables that user space and the programs share. User space maps them into its memory. */
struct cgroup_control control SEC(".data.control") = { .generation = 1, .epoch = 1, .nr_used = 1 };

/*
 * index of an event × nr_cpus + CPU id → perf event. The plain events have the lowest indexes. User
 * space writes this map, and BPF reads it. BPF_F_PRESERVE_ELEMS keeps an event open after the
 * session that added it has ended.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* Id of a cgroup → its slot. User space adds the listed cgroups, and BPF adds new cgroups. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u32);
	__uint(max_entries, 1);
} slots SEC(".maps");

/*
 * CPU id → struct cgroup_cpu and two rows of cells. BPF writes this map. User space reads the map,
 * writes `skip` and `stale`, and resets the row `last` when it replaces events. User space sets the
 * number and the size of the entries before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct cgroup_cpu));
	__uint(max_entries, 1);
} cpus SEC(".maps");

/*
 * CPU id × nr_slots + slot → a row of cells. BPF programs on this CPU write the row, and user space
 * reads it. User space sets the number and the size of the entries before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} rows SEC(".maps");

/* Slots for new cgroups. User space adds them, and BPF takes them. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__type(value, __u32);
	__uint(max_entries, CGROUP_RESERVE);
} reserve SEC(".maps");

/*
 * Process id → time in ns at which the process or one of its threads was last moved to another
 * cgroup. Only BPF uses this map. If the map is full, the kernel drops the least recently used
 * entry.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1024);
} moves SEC(".maps");

/*
 * Messages to user space. A struct cgroup_message reports that a cgroup was created or removed. A
 * message of 8 bytes only wakes user space, either because a task was moved, so that its CPU may
 * need a flush, or because a point of --start or --stop changed the gate.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakeups SEC(".maps");

/*
 * 0 → a row of cells: the reading at a point of --start or --stop. Only the program that holds the
 * lock of the gate uses this map.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64) * CGROUP_CELL_PLAIN);
	__uint(max_entries, 1);
} at_point SEC(".maps");

/*
 * `info` (one entry) and `members` (slot → its cgroup) describe a shared leader to other sessions.
 * BPF programs do not use these maps. User space binds the maps to on_switch(), so that they exist
 * as long as this program does.
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
