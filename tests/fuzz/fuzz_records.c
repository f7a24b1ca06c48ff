// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts any bytes into the rings to which the kernel writes records. The first half of the other
 * bytes is put into one ring, and the second half into another ring. The first byte determines the
 * positions at which they begin. The records must be those that a slow parser finds, in the order
 * of their times, each once. The mappings of processes must be those that a slow search finds from
 * their mappings, forks and ends.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/slow-maps.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/profile/mapping-records.h"
#include "util/count/profile/record-queue.h"
#include "util/machine/symbols/kernel-code.h"
#include "util/machine/symbols/mapped-objects.h"

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
};

/*
 * The offsets of fields in a record, from linux/perf_event.h. The text is the last field before the
 * time.
 */
enum {
	MMAP2_PID = 8,
	MMAP2_ADDRESS = 16,
	MMAP2_LEN = 24,
	MMAP2_OFFSET = 32,
	MMAP2_PATH = 72,
	KSYMBOL_NAME = 24,
	TASK_PID = 8,
	TASK_PARENT = 12,
	TASK_TID = 16,
	TASK_END = 32,
	LOST_END = 24,
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

/*
 * Returns the number of consecutive records at the start of @data. Sets *@whole to whether they
 * fill @data.
 */
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

static uint32_t word_at(const struct perf_event_header *record, size_t at)
{
	uint32_t word;

	memcpy(&word, (const char *)record + at, sizeof(word));
	return word;
}

static uint64_t number_at(const struct perf_event_header *record, size_t at)
{
	uint64_t number;

	memcpy(&number, (const char *)record + at, sizeof(number));
	return number;
}

/* Returns whether the record has all fields of its type before the time at its end. */
static bool is_whole(const struct perf_event_header *record)
{
	const size_t end = record->size - sizeof(uint64_t);
	size_t text = 0, least = 0;

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		text = MMAP2_PATH;
		break;
	case PERF_RECORD_KSYMBOL:
		text = KSYMBOL_NAME;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		least = TASK_END;
		break;
	case PERF_RECORD_LOST:
		least = LOST_END;
		break;
	}
	return text ? text < end && memchr((const char *)record + text, '\0', end - text) :
		      end >= least;
}

/* Threads begin and end in their process. */
static void take_slowly(const struct perf_event_header *record)
{
	const pid_t pid = (pid_t)word_at(record, TASK_PID);

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		slow_maps__add((pid_t)word_at(record, MMAP2_PID), number_at(record, MMAP2_ADDRESS),
			       number_at(record, MMAP2_LEN), number_at(record, MMAP2_OFFSET),
			       record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ?
				       NULL :
				       (const char *)record + MMAP2_PATH);
		break;
	case PERF_RECORD_FORK:
		if (word_at(record, TASK_PARENT) != (uint32_t)pid)
			slow_maps__fork((pid_t)word_at(record, TASK_PARENT), pid);
		break;
	case PERF_RECORD_EXIT:
		if (word_at(record, TASK_TID) == (uint32_t)pid)
			slow_maps__end(pid);
		break;
	}
}

/* record_fn */
static int take(void *ctx, const struct perf_event_header *record, uint64_t time)
{
	struct seen *seen = ctx;
	const uint64_t own = number_at(record, record->size - sizeof(own));

	if (own != time || time < seen->last || time > seen->until)
		abort();
	seen->last = time;
	seen->nr++;
	if (mapping_records__take(&seen->sinks, record, time) != (is_whole(record) ? 0 : -EBADMSG))
		abort();
	if (is_whole(record))
		take_slowly(record);
	return 0;
}

static void ask(const struct seen *seen)
{
	static const uint64_t addresses[] = {
		0, 0x1000, 0x1fff, 0x7f0000001000, 0xffffffffa0000000, UINT64_MAX
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		const struct kernel_code_range *code =
			kernel_code__find(seen->sinks.code, addresses[i]);

		if (code &&
		    (addresses[i] < code->start || addresses[i] >= code->end || !code->name))
			abort();
	}
	slow_maps__compare(seen->sinks.objects);
}

static void tell(struct record_queue *queue, size_t expected)
{
	static const struct sysroots roots = { "/nonexistent", "/nonexistent", "/nonexistent" };
	struct seen seen = { .sinks = { .objects = mapped_objects__new(&roots, "/nonexistent"),
					.code = kernel_code__new(1) } };

	if (!seen.sinks.objects || !seen.sinks.code)
		abort();
	slow_maps__clear();
	for (uint64_t until = 1 << 10; until != UINT64_MAX;
	     until = until == 1 << 10 ? 1ULL << 40 : UINT64_MAX) {
		seen.until = until;
		if (record_queue__deliver(queue, until, take, &seen))
			abort();
		ask(&seen);
	}
	seen.until = UINT64_MAX;
	if (record_queue__deliver(queue, UINT64_MAX, take, &seen) || seen.nr != expected)
		abort();
	ask(&seen);
	slow_maps__clear();
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
		if (record_queue__copy_ring(queue, &rings[ring], PAGE, ROOM) !=
		    (whole ? 0 : -EBADMSG))
			abort();
		if (rings[ring].page.data_tail != rings[ring].page.data_head)
			abort();
		expected += nr;
	}
	tell(queue, expected);
	record_queue__free(queue);
	return 0;
}
