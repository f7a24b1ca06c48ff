/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies the records that the kernel writes to the ring buffers of several perf events, and sorts
 * them by time. Checks the length of each record before using the record.
 */
#ifndef PSTAT_COUNT_RECORD_QUEUE_H
#define PSTAT_COUNT_RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_header;
struct record_queue;

/* Makes an empty queue. Returns NULL if memory ran out. */
struct record_queue *record_queue__new(void);
void record_queue__free(struct record_queue *queue);

/*
 * Moves the records of the ring buffer at @memory to @queue. The buffer consists of a struct
 * perf_event_mmap_page, and of @size bytes of data (a power of 2) that start @page bytes after
 * @memory. Each record must end with its time (sample_id_all). If a record is invalid, drops this
 * record and all later records of the buffer, and returns -EBADMSG. Otherwise, returns 0 or
 * -ENOMEM.
 */
int record_queue__copy_ring(struct record_queue *queue, void *memory, size_t page, size_t size);

/* Receives a record and its time (CLOCK_MONOTONIC, ns). Returns 0, or -errno to stop. */
typedef int (*record_fn)(void *ctx, const struct perf_event_header *record, uint64_t time);

/*
 * Passes to @fn the records whose times are not later than @until, the oldest first. Keeps later
 * records for the next call. Returns 0, or the error of @fn.
 */
int record_queue__deliver(struct record_queue *queue, uint64_t until, record_fn fn, void *ctx);

#endif
