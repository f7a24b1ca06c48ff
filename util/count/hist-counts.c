// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/hist-counts.h"

#include <string.h>

#define HALF (PROG_HIST_LINEAR / 2)

/* Of bucket_of() in prog_profiler.bpf.c the inverse. */
uint64_t hist__low(int bucket)
{
	int shift = bucket / HALF - 1;

	if (bucket < PROG_HIST_LINEAR)
		return (uint64_t)bucket;
	return (uint64_t)(bucket - shift * HALF) << shift;
}

uint64_t hist__high(int bucket)
{
	return bucket == HIST_BUCKETS - 1 ? UINT64_MAX : hist__low(bucket + 1) - 1;
}

void hist_counts__copy(struct hist_counts *hist, const struct hist_counts *kept)
{
	memcpy(hist->total, kept->total, sizeof(hist->total));
	hist->max = kept->max;
}
