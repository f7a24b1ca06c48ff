// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-batch.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include <linux/types.h>

#include "bpf_skel/prog_outliers.h"

#define ROOM_FIRST 1024

static bool make_room(struct prog_batch *batch)
{
	size_t room = batch->room ? 2 * batch->room : ROOM_FIRST;
	size_t *places = realloc(batch->places, sizeof(*places) * room);

	if (!places) {
		batch->records.failed = true;
		return false;
	}
	batch->places = places;
	batch->room = room;
	return true;
}

void prog_batch__add(struct prog_batch *batch, const void *record, size_t size)
{
	struct strbuf *records = &batch->records;

	if (batch->nr == batch->room && !make_room(batch))
		return;
	batch->places[batch->nr++] = records->len;
	strbuf__add(records, record, size);
	while (records->len % sizeof(uint64_t) && !strbuf__failed(records))
		strbuf__addc(records, 0);
}

static const struct prog_outlier *record_at(const char *records, size_t place)
{
	return (const void *)(records + place);
}

static int by_time(const void *a, const void *b, void *records)
{
	uint64_t x = record_at(records, *(const size_t *)a)->time,
		 y = record_at(records, *(const size_t *)b)->time;

	return x < y ? -1 : x > y;
}

int prog_batch__sort(struct prog_batch *batch)
{
	if (strbuf__failed(&batch->records))
		return -ENOMEM;
	if (batch->nr)
		qsort_r(batch->places, batch->nr, sizeof(*batch->places), by_time,
			batch->records.text);
	return 0;
}

const struct prog_outlier *prog_batch__get(const struct prog_batch *batch, size_t nr)
{
	return record_at(batch->records.text, batch->places[nr]);
}

void prog_batch__reset(struct prog_batch *batch)
{
	batch->nr = 0;
	strbuf__reset(&batch->records);
}

void prog_batch__free(struct prog_batch *batch)
{
	strbuf__free(&batch->records);
	free(batch->places);
}
