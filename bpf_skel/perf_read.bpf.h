/* SPDX-License-Identifier: GPL-2.0-only */
/* Interprets results of the kernel's helpers that read perf events. */
#ifndef PSTAT_PERF_READ_BPF_H
#define PSTAT_PERF_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define barrier() asm volatile("" ::: "memory")

/*
 * The helpers return -ENOENT if an event is not open on this CPU, for example because its PMU
 * exists only on other CPUs. The event then counts nothing on this CPU.
 */
#define ENOENT 2
#define MAX_ERRNO 4095

/*
 * Returns whether @value, a result of bpf_perf_event_read(), is an error. The helper returns errors
 * (-MAX_ERRNO to -1) in place of the count. A count starts at 0 when the event is opened, and never
 * reaches these values. The helper does not read the enabled and running times, so it is a third
 * faster than bpf_perf_event_read_value().
 */
static __always_inline bool is_read_error(__u64 value)
{
	return value >= (__u64)-MAX_ERRNO;
}

#endif
