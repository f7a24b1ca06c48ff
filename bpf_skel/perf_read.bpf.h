/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's helpers for perf events answer, for all programs that read them. */
#ifndef PSTAT_PERF_READ_BPF_H
#define PSTAT_PERF_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define barrier() asm volatile("" ::: "memory")

/* The event is not open on this CPU: it is one of another PMU's CPUs (a hybrid machine, a cpumask), and counts nothing here. */
#define ENOENT 2
#define MAX_ERRNO 4095

/*
 * bpf_perf_event_read() is a third cheaper than its successor, as it asks for no times, but its errors come in the place of the count.
 * A count that begins at 0 when its event is opened does not get there: is @value an error?
 */
static __always_inline bool is_read_error(__u64 value)
{
	return value >= (__u64)-MAX_ERRNO;
}

#endif
