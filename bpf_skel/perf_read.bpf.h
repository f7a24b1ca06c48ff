/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of the kernel's helpers that read perf events. */
#ifndef PSTAT_PERF_READ_BPF_H
#define PSTAT_PERF_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define barrier() asm volatile("" ::: "memory")

/*
 * The event is not open on this CPU, because its PMU is on other CPUs (hybrid machine, cpumask).
 * Its count here is 0.
 */
#define ENOENT 2
#define MAX_ERRNO 4095

/*
 * Is @value, a result of bpf_perf_event_read(), an error? This helper takes a third less time than
 * bpf_perf_event_read_value(), because it reads no times, but it returns errors in place of the
 * count. A count is never that high, because it starts at 0 when the event is opened.
 */
static __always_inline bool is_read_error(__u64 value)
{
	return value >= (__u64)-MAX_ERRNO;
}

#endif
