/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of the kernel's helpers for perf events, for all programs that read events. */
#ifndef PSTAT_PERF_READ_BPF_H
#define PSTAT_PERF_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define barrier() asm volatile("" ::: "memory")

/*
 * The event is not open on this CPU, because its PMU covers other CPUs (hybrid machine, cpumask).
 * It counts nothing here.
 */
#define ENOENT 2
#define MAX_ERRNO 4095

/*
 * Returns whether @value, a result of bpf_perf_event_read(), is an error. That helper takes a third
 * less time than bpf_perf_event_read_value(), because it reads no times, but it returns errors in
 * place of the count. A count never gets that high, because it starts at 0 when the event is
 * opened.
 */
static __always_inline bool is_read_error(__u64 value)
{
	return value >= (__u64)-MAX_ERRNO;
}

#endif
