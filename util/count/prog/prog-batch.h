/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorts the records of individual runs from several CPUs by time. A record is a struct prog_outlier
 * and the data after it.
 */
#ifndef PSTAT_COUNT_PROG_BATCH_H
#define PSTAT_COUNT_PROG_BATCH_H

#include <stddef.h>

#include "util/base/strbuf.h"

struct prog_outlier;

/*
 * Initialize with PROG_BATCH_INIT. If memory runs out in prog_batch__add(), prog_batch__sort()
 * returns -ENOMEM.
 */
struct prog_batch {
	struct strbuf records; /* records one after the other, at offsets that are multiples of 8 */
	size_t *places;	       /* for each record, its offset in `records` */
	size_t nr, room;       /* `nr` elements of `places` are used, `room` are allocated */
};

#define PROG_BATCH_INIT                \
	{                              \
		.records = STRBUF_INIT \
	}

/* Adds a copy of @record, which is @size bytes long. */
void prog_batch__add(struct prog_batch *batch, const void *record, size_t size);
/* Sorts the records by time. Returns 0, or -ENOMEM if a record could not be added. */
int prog_batch__sort(struct prog_batch *batch);
/*
 * Returns the record with the index @nr, which must be less than batch->nr. The result is valid
 * until a record is added.
 */
const struct prog_outlier *prog_batch__get(const struct prog_batch *batch, size_t nr);
/* Removes all records, but keeps the memory for new records. */
void prog_batch__reset(struct prog_batch *batch);
void prog_batch__free(struct prog_batch *batch);

#endif
