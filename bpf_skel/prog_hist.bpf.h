/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds a run of a target (a counted BPF program) to the histogram in the target's totals (struct
 * prog_totals).
 */
#ifndef PSTAT_PROG_HIST_BPF_H
#define PSTAT_PROG_HIST_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "hist_buckets.bpf.h"
#include "prog_profiler.h"

/* set before load */
const volatile __u64 hist_offset = 0; /* offset of the histogram in the totals, in bytes */
/*
 * The histogram shows by how much one word of a reading (struct prog_words) increases during a run.
 * hist_now and hist_last are the offsets of this word in the rows `now` and `last`, in bytes from
 * the start of struct prog_cpu (see run_count()). Without --hist, both are 0.
 */
const volatile __u64 hist_now = 0;
const volatile __u64 hist_last = 0;
/*
 * the cost of counting, which is subtracted from the count of a run: hist_cost once, and hist_inner
 * for each run inside this run
 */
const volatile __u64 hist_cost = 0;
const volatile __u64 hist_inner = 0;

static __always_inline void add_to_hist(struct prog_totals *t, __u64 value, __u64 cost)
{
	__u64 *buckets = (void *)t + hist_offset;
	__u32 bucket;

	value = value > cost ? value - cost : 0;
	bucket = bucket_of(value);
	if (bucket < PROG_HIST_BUCKETS)
		buckets[bucket]++;
	if (value > t->hist_max)
		t->hist_max = value;
}

#endif
