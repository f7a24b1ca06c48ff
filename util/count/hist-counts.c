// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/hist-counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HALF (PROG_HIST_LINEAR / 2)

/* The inverse of bucket_of(), which returns the bucket of a count (hist_buckets.bpf.h). */
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

int hist__bucket_at(const uint64_t *buckets, double share, uint64_t least)
{
	uint64_t runs = 0, below = 0;

	for (int i = 0; i < HIST_BUCKETS; i++)
		runs += buckets[i];
	if (!runs || runs < least)
		return -1;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		below += buckets[i];
		if (below && (double)below >= share * (double)runs)
			return i;
	}
	return HIST_BUCKETS - 1;
}

int hist_rows__widen(struct hist_rows *hist, int nr)
{
	struct hist_counts *bigger;

	if (nr <= hist->nr)
		return 0;
	bigger = realloc(hist->rows, sizeof(*bigger) * (size_t)nr);
	if (!bigger)
		return -ENOMEM;
	memset(bigger + hist->nr, 0, sizeof(*bigger) * (size_t)(nr - hist->nr));
	hist->rows = bigger;
	hist->nr = nr;
	return 0;
}

void hist_rows__begin(struct hist_rows *hist, const struct hist_rows *kept)
{
	for (int row = 0; row < hist->nr; row++) {
		struct hist_counts *counts = &hist->rows[row];

		counts->max = row < kept->nr ? kept->rows[row].max : 0;
		if (row < kept->nr)
			memcpy(counts->total, kept->rows[row].total, sizeof(counts->total));
		else
			memset(counts->total, 0, sizeof(counts->total));
	}
}

void hist_rows__mark(struct hist_rows *hist)
{
	for (int row = 0; row < hist->nr; row++)
		memcpy(hist->rows[row].mark, hist->rows[row].total, sizeof(hist->rows[row].mark));
}

void hist_rows__reset(struct hist_rows *hist)
{
	free(hist->rows);
	hist->rows = NULL;
	hist->nr = 0;
}
