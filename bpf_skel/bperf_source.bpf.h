/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps of a leader that its followers use, in addition to `events`. User space replaces these maps
 * with the leader's maps.
 */
#ifndef PSTAT_BPERF_SOURCE_BPF_H
#define PSTAT_BPERF_SOURCE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

/*
 * The leader's state. If another tool made the leader, its diff map. If a program is both leader
 * and follower, its own state.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} source SEC(".maps");

/* The last readings of a leader that another tool made. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} before SEC(".maps");

#endif
