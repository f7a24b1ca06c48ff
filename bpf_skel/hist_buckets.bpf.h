/* SPDX-License-Identifier: GPL-2.0-only */
/* The buckets of histograms (described at PROG_HIST_BITS in prog_profiler.h). */
#ifndef PSTAT_HIST_BUCKETS_BPF_H
#define PSTAT_HIST_BUCKETS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "prog_profiler.h"

static __always_inline __u32 log2_of(__u64 value)
{
	__u32 log = 0;

	for (__u32 shift = 32; shift; shift /= 2) {
		if (value >> shift) {
			value >>= shift;
			log += shift;
		}
	}
	return log;
}

/* Returns the index of the bucket that contains @value. */
static __always_inline __u32 bucket_of(__u64 value)
{
	__u32 shift;

	if (value < PROG_HIST_LINEAR)
		return value;
	shift = log2_of(value) - (PROG_HIST_BITS - 1);
	return shift * (PROG_HIST_LINEAR / 2) + (value >> shift);
}

#endif
