/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by where they fell: a copy in user space of a BPF hash map that only grows, whose keys are of any one kind (an address, a
 * stack) and whose values are struct profile_value. Reading takes the running totals, differences are taken here, as counts.h does it.
 */
#ifndef PSTAT_COUNT_SAMPLE_TABLE_H
#define PSTAT_COUNT_SAMPLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct sample_table;

/* So many samples, and what the event counted for them. */
struct sample_sum {
	uint64_t samples;
	uint64_t weight;
};

/* Adds @from to @to. */
void sample_sum__add(struct sample_sum *to, const struct sample_sum *from);

/* Returns @sum's weight as a percentage of the weight @all, or 0 if @all is 0. */
double sample_sum__percent(const struct sample_sum *sum, uint64_t all);

/* Of at most @room places with keys of @key_size bytes. NULL without memory. */
struct sample_table *sample_table__new(size_t key_size, uint32_t room);
void sample_table__free(struct sample_table *table);

/* Takes over what the map @map_fd holds now. 0 or -errno, and the table is as it was. */
int sample_table__read(struct sample_table *table, int map_fd);
/* Of @nr keys and values side by side, in any order; for the reader of the map and for tests. 0 or -ENOMEM. */
int sample_table__take(struct sample_table *table, const void *keys, const struct sample_sum *sums, uint32_t nr);

/* From here on sample_table__delta() counts from zero. */
void sample_table__mark(struct sample_table *table);

/* Places are in the order of memcmp() of their keys, and another one after each reading. */
uint32_t sample_table__nr(const struct sample_table *table);
const void *sample_table__key(const struct sample_table *table, uint32_t place);
struct sample_sum sample_table__total(const struct sample_table *table, uint32_t place);
struct sample_sum sample_table__delta(const struct sample_table *table, uint32_t place);

#endif
