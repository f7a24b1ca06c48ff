// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "util/count/profile/record-queue.h"

#define PAGE 4096
#define ROOM 64

/*
 * A record of 24 bytes, the last 8 of which are its time. The tests identify a record by its type.
 */
struct record {
	struct perf_event_header header;
	uint64_t body, time;
};

static union {
	char bytes[PAGE + ROOM];
	struct perf_event_mmap_page page;
} rings[2];

static uint32_t told[8];
static int nr_told;

static void put(int ring, uint32_t type, uint64_t time)
{
	const struct record record = { .header = { .type = type, .size = sizeof(record) },
				       .time = time };

	for (size_t i = 0; i < sizeof(record); i++)
		rings[ring].bytes[PAGE + rings[ring].page.data_head++ % ROOM] =
			((const char *)&record)[i];
}

static int note(void *ctx, const struct perf_event_header *record, uint64_t time)
{
	(void)ctx;
	assert_int_equal(((const struct record *)(const void *)record)->time, time);
	told[nr_told++] = record->type;
	return 0;
}

static struct record_queue *begin(uint64_t at)
{
	memset(rings, 0, sizeof(rings));
	rings[0].page.data_head = rings[0].page.data_tail = at;
	nr_told = 0;
	return record_queue__new();
}

static int copy(struct record_queue *queue, int ring)
{
	int err = record_queue__copy_ring(queue, &rings[ring], PAGE, ROOM);

	assert_int_equal(rings[ring].page.data_tail, rings[ring].page.data_head);
	return err;
}

static void records_of_two_rings_are_sorted_by_time(void **state)
{
	static const uint32_t expected[] = { 1, 3, 2, 4 };
	struct record_queue *queue = begin(40);

	(void)state;
	put(0, 1, 10);
	put(0, 2, 30); /* continues at the beginning of the ring */
	put(1, 3, 20);
	put(1, 4, 30);
	assert_int_equal(copy(queue, 0), 0);
	assert_int_equal(copy(queue, 1), 0);
	assert_int_equal(record_queue__deliver(queue, 25, note, NULL), 0);
	assert_int_equal(nr_told, 2);
	assert_int_equal(record_queue__deliver(queue, 30, note, NULL), 0);
	assert_int_equal(nr_told, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(told[i], expected[i]);
	record_queue__free(queue);
}

static void an_invalid_record_ends_a_ring(void **state)
{
	struct record_queue *queue = begin(0);

	(void)state;
	put(0, 1, 10);
	put(0, 2, 20);
	((struct record *)(void *)(rings[0].bytes + PAGE))[1].header.size = 0;
	assert_int_equal(copy(queue, 0), -EBADMSG);
	put(0, 3, 30);
	assert_int_equal(copy(queue, 0), 0);
	rings[0].page.data_head += ROOM + 8;
	assert_int_equal(copy(queue, 0), -EBADMSG);
	assert_int_equal(record_queue__deliver(queue, UINT64_MAX, note, NULL), 0);
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[0], 1);
	assert_int_equal(told[1], 3);
	record_queue__free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_two_rings_are_sorted_by_time),
		cmocka_unit_test(an_invalid_record_ends_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
