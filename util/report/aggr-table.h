/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables [event][subject][aggregate], which grow when subjects and aggregates are added. */
#ifndef PSTAT_REPORT_AGGR_TABLE_H
#define PSTAT_REPORT_AGGR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The number of subjects, and of the aggregates of each subject. */
struct aggr_shape {
	int subjects, aggrs;
};

/*
 * Returns a table of the shape @to with elements of @size. It contains the elements of the table
 * @old with the shape @from, which is freed and may be NULL. New elements are zero. Returns NULL
 * without memory, and then @old is not freed.
 */
void *aggr_table__grown(void *old, size_t size, int events, const struct aggr_shape *from,
			const struct aggr_shape *to);

/* Stores @bigger in the pointer at @table unless it is NULL. Returns whether it is not NULL. */
bool aggr_table__replace(void *table, void *bigger);

/* Grows the table at @table. Returns false without memory. */
#define aggr_table__grow(table, events, from, to) \
	aggr_table__replace(table, aggr_table__grown(*(table), sizeof(**(table)), events, from, to))

#endif
