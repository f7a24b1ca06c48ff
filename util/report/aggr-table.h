/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables [event][subject][aggregate]. There may be more subjects and aggregates while pstat counts. */
#ifndef PSTAT_REPORT_AGGR_TABLE_H
#define PSTAT_REPORT_AGGR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The numbers of subjects, and of the aggregates that each of them has. */
struct aggr_shape {
	int subjects, aggrs;
};

/*
 * Returns a table of the shape @to with elements of @size, with the content of the table @old, which has the shape @from and is
 * freed. @old may be NULL. New elements are zero. Returns NULL if there is no memory; then @old is still there.
 */
void *aggr_table__grown(void *old, size_t size, int events, const struct aggr_shape *from, const struct aggr_shape *to);

/* Puts @bigger, unless it is NULL, into the pointer that @table points to. False when it is. */
bool aggr_table__replace(void *table, void *bigger);

/* Of a pointer to a table, in place. False without memory. */
#define aggr_table__grow(table, events, from, to) \
	aggr_table__replace(table, aggr_table__grown(*(table), sizeof(**(table)), events, from, to))

#endif
