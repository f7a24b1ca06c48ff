// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/sample-table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sums of a row. A row is a key, padding, and these sums. */
struct sums {
	struct sample_sum total;
	struct sample_sum mark;
};

struct sample_table {
	size_t key_size, sums_at, row_size;
	uint32_t room, nr;
	char *rows;
	/* buffers for a reading, each with `room` elements */
	char *keys;
	struct sample_sum *values;
};

void sample_sum__add(struct sample_sum *to, const struct sample_sum *from)
{
	to->samples += from->samples;
	to->weight += from->weight;
}

double sample_sum__percent(const struct sample_sum *sum, uint64_t all)
{
	return all ? 100.0 * (double)sum->weight / (double)all : 0;
}

struct sample_table *sample_table__new(size_t key_size, uint32_t room)
{
	struct sample_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->key_size = key_size;
	table->sums_at = (key_size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	table->row_size = table->sums_at + sizeof(struct sums);
	table->room = room;
	table->keys = malloc(key_size * room);
	table->values = malloc(sizeof(*table->values) * room);
	if (table->keys && table->values)
		return table;
	sample_table__free(table);
	return NULL;
}

void sample_table__free(struct sample_table *table)
{
	if (!table)
		return;
	free(table->rows);
	free(table->keys);
	free(table->values);
	free(table);
}

static char *row_at(const struct sample_table *table, uint32_t place)
{
	return table->rows + table->row_size * place;
}

static struct sums *sums_of(const struct sample_table *table, char *row)
{
	return (struct sums *)(void *)(row + table->sums_at);
}

static int compare(const void *a, const void *b, void *key_size)
{
	return memcmp(a, b, *(const size_t *)key_size);
}

/* Returns the row that @key had at the previous reading, or NULL if the key is new. */
static char *find(const struct sample_table *table, const void *key)
{
	uint32_t low = 0, high = table->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = memcmp(row_at(table, middle), key, table->key_size);

		if (!order)
			return row_at(table, middle);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int sample_table__take(struct sample_table *table, const void *keys, const struct sample_sum *sums,
		       uint32_t nr)
{
	char *rows = calloc((size_t)nr + 1, table->row_size);

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		char *row = rows + table->row_size * i, *old;
		struct sums *to = sums_of(table, row);

		memcpy(row, (const char *)keys + table->key_size * i, table->key_size);
		old = find(table, row);
		to->total = sums[i];
		if (old)
			to->mark = sums_of(table, old)->mark;
	}
	qsort_r(rows, nr, table->row_size, compare, &table->key_size);
	free(table->rows);
	table->rows = rows;
	table->nr = nr;
	return 0;
}

int sample_table__read(struct sample_table *table, int map_fd)
{
	__u32 nr = table->room;
	/*
	 * the position for the next batch; unused, because one batch contains the whole map, which
	 * has at most table->room entries
	 */
	char next[64];
	int err = bpf_map_lookup_batch(map_fd, NULL, next, table->keys, table->values, &nr, NULL) ?
			  -errno :
			  0;

	if (err && err != -ENOENT)
		return err;
	return sample_table__take(table, table->keys, table->values, nr);
}

void sample_table__mark(struct sample_table *table)
{
	for (uint32_t i = 0; i < table->nr; i++) {
		struct sums *sums = sums_of(table, row_at(table, i));

		sums->mark = sums->total;
	}
}

uint32_t sample_table__nr(const struct sample_table *table)
{
	return table->nr;
}

const void *sample_table__key(const struct sample_table *table, uint32_t place)
{
	return row_at(table, place);
}

struct sample_sum sample_table__total(const struct sample_table *table, uint32_t place)
{
	return sums_of(table, row_at(table, place))->total;
}

struct sample_sum sample_table__delta(const struct sample_table *table, uint32_t place)
{
	const struct sums *sums = sums_of(table, row_at(table, place));

	return (struct sample_sum){ .samples = sums->total.samples - sums->mark.samples,
				    .weight = sums->total.weight - sums->mark.weight };
}
