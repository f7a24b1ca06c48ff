/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that -b and --scope share for --outliers, which sends a record of each expensive run to user
 * space. This code limits the rate of records, and finds the ids and the name of a run's task.
 */
#ifndef PSTAT_OUTLIERS_BPF_H
#define PSTAT_OUTLIERS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "prog_filter.bpf.h"
#include "prog_outliers.h"

#define NSEC_PER_SEC 1000000000ULL

/*
 * The maximum number of attempts to update outlier_second. An attempt fails if another CPU changes
 * the value at the same time. If all attempts fail, the record is suppressed.
 */
#define RATE_TRIES 16

/* set before load */
const volatile __u32 outlier_rate = 0; /* maximum number of records per second, over all CPUs */

/*
 * 0 → the latest second of CLOCK_MONOTONIC in which a record was sent (upper half), and the number
 * of records in this second (lower half). Used only by BPF programs.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} outlier_second SEC(".maps");

/*
 * Returns whether one more record can be sent in the second of @now (ns). If so, counts the record.
 * If the clock of a CPU is a little behind, the CPU's record counts towards the second that another
 * CPU has already begun.
 */
static __always_inline bool is_within_rate(__u64 now)
{
	__u32 key = 0, second = now / NSEC_PER_SEC;
	volatile __u64 *state = bpf_map_lookup_elem(&outlier_second, &key);

	if (!state)
		return false;
	for (int i = 0; i < RATE_TRIES; i++) {
		__u64 old = *state, next = old + 1;

		if (second > old >> 32)
			next = (__u64)second << 32 | 1;
		else if ((__u32)old >= outlier_rate)
			return false;
		if (__sync_val_compare_and_swap(state, old, next) == old)
			return true;
	}
	return false;
}

static __always_inline void name_task(__u32 *pid, __u32 *tid, char *comm)
{
	struct bpf_pidns_info ids = {};
	__u64 id;

	if (pid_ns_ino) {
		bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids));
		*pid = ids.tgid;
		*tid = ids.pid;
	} else {
		id = bpf_get_current_pid_tgid();
		*pid = id >> 32;
		*tid = id;
	}
	bpf_get_current_comm(comm, PROG_COMM_SIZE);
}

#endif
