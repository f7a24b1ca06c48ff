// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/record-queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A copy of a record. */
struct waiting {
	/*
	 * records are delivered in the order of `time`; records with equal times, in the order in
	 * which they were read (`order`)
	 */
	uint64_t time, order;
	struct perf_event_header *record;
};

struct record_queue {
	struct waiting *waiting;
	size_t nr, room;
	uint64_t nr_read;
};

struct record_queue *record_queue__new(void)
{
	return calloc(1, sizeof(struct record_queue));
}

void record_queue__free(struct record_queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < queue->nr; i++)
		free(queue->waiting[i].record);
	free(queue->waiting);
	free(queue);
}

/* ---- copies ---- */

static int grow(struct record_queue *queue)
{
	size_t room = queue->room ? 2 * queue->room : 64;
	struct waiting *waiting;

	if (queue->nr < queue->room)
		return 0;
	waiting = realloc(queue->waiting, room * sizeof(*waiting));
	if (!waiting)
		return -ENOMEM;
	queue->waiting = waiting;
	queue->room = room;
	return 0;
}

struct ring_data {
	const char *bytes;
	size_t size;
};

/*
 * Copies the record at the position @at to the queue. @left is the number of bytes from @at to the
 * end of the last record. Returns the length of the record, or -errno.
 */
static int copy_record(struct record_queue *queue, const struct ring_data *data, uint64_t at,
		       uint64_t left)
{
	size_t place = at & (data->size - 1), to_end = data->size - place, size, first;
	struct waiting *waiting;
	char *copy;

	/*
	 * a header is 8 bytes long, and the size of each record is a multiple of 8 bytes, so the
	 * end of the ring never splits a header
	 */
	if (place % sizeof(struct perf_event_header) || left < sizeof(struct perf_event_header))
		return -EBADMSG;
	size = ((const struct perf_event_header *)(const void *)(data->bytes + place))->size;
	if (size < sizeof(struct perf_event_header) + sizeof(waiting->time) || size % 8 ||
	    size > left)
		return -EBADMSG;
	first = size < to_end ? size : to_end;
	if (grow(queue))
		return -ENOMEM;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data->bytes + place, first);
	memcpy(copy + first, data->bytes, size - first);
	waiting = &queue->waiting[queue->nr++];
	*waiting = (struct waiting){ .order = queue->nr_read++, .record = (void *)copy };
	memcpy(&waiting->time, copy + size - sizeof(waiting->time), sizeof(waiting->time));
	return (int)size;
}

int record_queue__copy_ring(struct record_queue *queue, void *memory, size_t page, size_t size)
{
	const struct ring_data data = { (const char *)memory + page, size };
	struct perf_event_mmap_page *header = memory;
	uint64_t head = __atomic_load_n(&header->data_head, __ATOMIC_ACQUIRE),
		 tail = header->data_tail;
	int err = head - tail > size ? -EBADMSG : 0;

	while (!err && tail != head) {
		int len = copy_record(queue, &data, tail, head - tail);

		if (len < 0)
			err = len;
		else
			tail += (uint64_t)len;
	}
	__atomic_store_n(&header->data_tail, err == -EBADMSG ? head : tail, __ATOMIC_RELEASE);
	return err;
}

/* ---- delivering ---- */

static int by_time(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

int record_queue__deliver(struct record_queue *queue, uint64_t until, record_fn fn, void *ctx)
{
	size_t nr = 0;
	int err = 0;

	if (queue->nr)
		qsort(queue->waiting, queue->nr, sizeof(*queue->waiting), by_time);
	while (!err && nr < queue->nr && queue->waiting[nr].time <= until) {
		err = fn(ctx, queue->waiting[nr].record, queue->waiting[nr].time);
		free(queue->waiting[nr++].record);
	}
	queue->nr -= nr;
	if (nr)
		memmove(queue->waiting, queue->waiting + nr, queue->nr * sizeof(*queue->waiting));
	return err;
}
