// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes in the rings that the kernel writes records to. The first byte says where in its ring the first half of the others begins, and
 * the second half in another: what is told are the records that a slow reading finds, in the order of their times, each of them once, and
 * what they say of mappings and of code can be asked for.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/profile/mapping-records.h"
#include "util/count/profile/record-queue.h"
#include "util/machine/kernel-code.h"
#include "util/machine/mapped-objects.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096
#define ROOM 4096
#define HEADER sizeof(struct perf_event_header)

static union {
	char bytes[PAGE + ROOM];
	struct perf_event_mmap_page page;
} rings[2];

struct seen {
	struct mapping_sinks sinks;
	uint64_t until, last; /* times */
	size_t nr;
	bool bad; /* one was shorter than what is in it */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log__set_level(LOG_ERROR);
	return 0;
}

static void fill(int ring, uint64_t start, const uint8_t *data, size_t size)
{
	rings[ring].page.data_tail = start;
	rings[ring].page.data_head = start + size;
	for (size_t i = 0; i < size; i++)
		rings[ring].bytes[PAGE + (start + i) % ROOM] = (char)data[i];
}

/* How many records stand in a row, from the first on, and whether nothing else does. */
static size_t count(const uint8_t *data, size_t size, bool *whole)
{
	struct perf_event_header header;
	size_t nr = 0;

	for (; size >= HEADER; data += header.size, size -= header.size, nr++) {
		memcpy(&header, data, HEADER);
		if (header.size < HEADER + 8 || header.size % 8 || header.size > size)
			break;
	}
	*whole = !size;
	return nr;
}

/* record_fn */
static int take(void *ctx, const struct perf_event_header *record, uint64_t time)
{
	struct seen *seen = ctx;
	uint64_t own;
	int err;

	memcpy(&own, (const char *)record + record->size - sizeof(own), sizeof(own));
	if (own != time || time < seen->last || time > seen->until)
		abort();
	seen->last = time;
	seen->nr++;
	err = mapping_records__take(&seen->sinks, record, time);
	if (err && err != -EBADMSG)
		abort();
	seen->bad |= err != 0;
	return 0;
}

static void ask(const struct seen *seen)
{
	static const uint64_t addresses[] = { 0, 0x1000, 0x1fff, 0x7f0000001000, 0xffffffffa0000000, UINT64_MAX };

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		const struct kernel_code_range *code = kernel_code__find(seen->sinks.code, addresses[i]);
		uint64_t offset;

		if (code && (addresses[i] < code->start || addresses[i] >= code->end || !code->name))
			abort();
		for (pid_t pid = 7; pid < 10; pid++)
			if (mapped_objects__by_address(seen->sinks.objects, pid, addresses[i], &offset) &&
			    !mapped_objects__nr(seen->sinks.objects))
				abort();
	}
}

static void tell(struct record_queue *queue, size_t expected)
{
	static const struct sysroots roots = { "/nonexistent", "/nonexistent", "/nonexistent" };
	struct seen seen = { .sinks = { .objects = mapped_objects__new(&roots, "/nonexistent"),
					.code = kernel_code__new(1) } };

	if (!seen.sinks.objects || !seen.sinks.code)
		abort();
	for (uint64_t until = 1 << 10; until != UINT64_MAX; until = until == 1 << 10 ? 1ULL << 40 : UINT64_MAX) {
		seen.until = until;
		if (record_queue__tell(queue, until, take, &seen))
			abort();
		ask(&seen);
	}
	seen.until = UINT64_MAX;
	if (record_queue__tell(queue, UINT64_MAX, take, &seen) || seen.nr != expected)
		abort();
	ask(&seen);
	mapped_objects__free(seen.sinks.objects);
	kernel_code__free(seen.sinks.code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_queue *queue = record_queue__new();
	size_t half, expected = 0;

	if (!queue)
		abort();
	half = size > 1 ? (size - 1) / 2 & ~(size_t)7 : 0;
	for (int ring = 0; size > 1 && ring < 2; ring++) {
		const uint8_t *from = data + 1 + (ring ? half : 0);
		size_t len = ring ? size - 1 - half : half, nr;
		uint64_t start = ROOM - 8 * (uint64_t)(data[0] & 63);
		bool whole;

		fill(ring, start, from, len);
		nr = count(from, len, &whole);
		if (record_queue__copy_ring(queue, &rings[ring], PAGE, ROOM) != (whole ? 0 : -EBADMSG))
			abort();
		if (rings[ring].page.data_tail != rings[ring].page.data_head)
			abort();
		expected += nr;
	}
	tell(queue, expected);
	record_queue__free(queue);
	return 0;
}
