/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of several rings in the order of their times. The rings are memory here, and may hold anything. */
#ifndef PSTAT_COUNT_RECORD_QUEUE_H
#define PSTAT_COUNT_RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_header;
struct record_queue;

/* NULL without memory. */
struct record_queue *record_queue__new(void);
void record_queue__free(struct record_queue *queue);

/*
 * Copies the records of the ring at @memory: a struct perf_event_mmap_page and, @page bytes behind its begin, @size bytes of data, a power of 2. Each
 * record ends with its time. 0; -ENOMEM; -EBADMSG when they make no sense: all that the ring has is given up then.
 */
int record_queue__copy_ring(struct record_queue *queue, void *memory, size_t page, size_t size);

/* Is told a record, and its time (ns of CLOCK_MONOTONIC). 0, or -errno to be told no more. */
typedef int (*record_fn)(void *ctx, const struct perf_event_header *record, uint64_t time);

/* Tells @fn the records that are not younger than @until, the oldest first. 0, or what @fn returned: the others are told the next time. */
int record_queue__tell(struct record_queue *queue, uint64_t until, record_fn fn, void *ctx);

#endif
