/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a follower, and the map of its counts. */
#ifndef PSTAT_BPERF_TOTALS_BPF_H
#define PSTAT_BPERF_TOTALS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

/* ---- set before load ---- */
const volatile __u32 nr_events = 0; /* the number of the follower's events */
const volatile __u32 nr_cpus = 1;
const volatile struct bperf_plan plan[BPERF_MAX_EVENTS] = {};
const volatile __u32 nr_rows = 0;      /* the number of the leader's events */
const volatile bool everybody = false; /* count all tasks, in slot 0 */

/*
 * slot → the sums for the nr_events events. BPF programs write the map, and user space reads it.
 * User space sets the number and the size of the entries before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct bpf_perf_event_value));
	__uint(max_entries, 1);
} totals SEC(".maps");

static __always_inline struct bpf_perf_event_value *totals_of(__u32 slot)
{
	return bpf_map_lookup_elem(&totals, &slot);
}

#endif
