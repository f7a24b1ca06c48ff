/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A copy of a BPF hash map that contains a sum of samples (struct profile_value) for each key. All
 * keys of a table have the same type: struct profile_frames or struct profile_stack_key. Entries
 * are never removed from the map. The sums are totals since sampling began. The table can also
 * return the differences from the totals at the latest sample_table__mark().
 */
#ifndef PSTAT_COUNT_SAMPLE_TABLE_H
#define PSTAT_COUNT_SAMPLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct sample_table;

/* A number of samples, and the part of the event's count that they represent. */
struct sample_sum {
	uint64_t samples;
	uint64_t weight;
};

void sample_sum__add(struct sample_sum *to, const struct sample_sum *from);

/* Returns @sum's weight as a percentage of the weight @all, or 0 if @all is 0. */
double sample_sum__percent(const struct sample_sum *sum, uint64_t all);

/* Makes a table for at most @room keys of @key_size bytes. Returns NULL if memory ran out. */
struct sample_table *sample_table__new(size_t key_size, uint32_t room);
void sample_table__free(struct sample_table *table);

/*
 * Copies the content of the map @map_fd. Returns 0 or -errno. After an error, @table is unchanged.
 */
int sample_table__read(struct sample_table *table, int map_fd);
/*
 * Replaces the content of the table with @nr keys and their totals. Keys that were already in the
 * table keep their marks (sample_table__mark()). Returns 0 or -ENOMEM.
 */
int sample_table__take(struct sample_table *table, const void *keys, const struct sample_sum *sums,
		       uint32_t nr);

/* Makes sample_table__delta() count from the current totals. */
void sample_table__mark(struct sample_table *table);

/*
 * A row is a key and its sums. Rows are sorted by memcmp() of their keys. @place is the index of a
 * row, from 0. sample_table__read() and sample_table__take() can change the index of a row.
 */
uint32_t sample_table__nr(const struct sample_table *table);
const void *sample_table__key(const struct sample_table *table, uint32_t place);
struct sample_sum sample_table__total(const struct sample_table *table, uint32_t place);
struct sample_sum sample_table__delta(const struct sample_table *table, uint32_t place);

#endif
