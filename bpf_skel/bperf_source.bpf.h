/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of a leader, other than `events`, that its followers use. User space replaces these two
 * maps and `events` by the leader's own maps.
 */
#ifndef PSTAT_BPERF_SOURCE_BPF_H
#define PSTAT_BPERF_SOURCE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

/*
 * The leader's state, or the diff map of a leader that is not pstat's. If a program is both leader
 * and follower, its own state.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bperf_state));
	__uint(max_entries, 1);
} source SEC(".maps");

/* The last reading of a leader that is not pstat's. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} before SEC(".maps");

#endif
