/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of runs (struct prog_outlier, what stands behind it included) of several CPUs, put into the order of their times. */
#ifndef PSTAT_COUNT_PROG_BATCH_H
#define PSTAT_COUNT_PROG_BATCH_H

#include <stddef.h>

#include "util/base/strbuf.h"

struct prog_outlier;

/* Begins with PROG_BATCH_INIT. What cannot be added for want of memory is noted in `records`. */
struct prog_batch {
	struct strbuf records; /* one behind the other, aligned */
	size_t *places;	       /* where each begins */
	size_t nr, room;       /* of places */
};

#define PROG_BATCH_INIT                \
	{                              \
		.records = STRBUF_INIT \
	}

/* Copies @size bytes. */
void prog_batch__add(struct prog_batch *batch, const void *record, size_t size);
/* 0, or -ENOMEM when something could not be added. */
int prog_batch__sort(struct prog_batch *batch);
/* The @nr-th of batch->nr; good until the next one is added. */
const struct prog_outlier *prog_batch__get(const struct prog_batch *batch, size_t nr);
/* Empties it, and keeps the memory. */
void prog_batch__reset(struct prog_batch *batch);
void prog_batch__free(struct prog_batch *batch);

#endif
