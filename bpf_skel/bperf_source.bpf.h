/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps that a follower shares with its leader (see bperf.h), in addition to the map `events`
 * (bperf_read.bpf.h). User space replaces the maps of the follower with the leader's maps.
 */
#ifndef PSTAT_BPERF_SOURCE_BPF_H
#define PSTAT_BPERF_SOURCE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

/*
 * The leader's state. If another tool made the leader, user space replaces this map with the
 * leader's diff map. If one program is both leader and follower, this map contains the program's
 * own state.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} source SEC(".maps");

/*
 * If another tool made the leader, user space replaces this map with the leader's map
 * `prev_readings`, which contains the values at the last reading. Otherwise, this map is not used.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} before SEC(".maps");

#endif
