/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables with a column for each aggregate, which may become more while pstat counts (--follow). */
#ifndef PSTAT_REPORT_AGGR_TABLE_H
#define PSTAT_REPORT_AGGR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Of how many events, and from how many aggregates to how many. */
struct aggr_table {
	int events;
	int had, want;
};

/*
 * A bigger table [event][aggregate] of elements of @size, with what was in @old (NULL: nothing), which is freed, and zeros. NULL without
 * memory; @old is as it was then.
 */
void *aggr_table__grown(void *old, size_t size, const struct aggr_table *shape);

/* Puts @bigger, unless it is NULL, into the pointer that @table points to. False when it is. */
bool aggr_table__replace(void *table, void *bigger);

/* Of a pointer to a table, in place. False without memory. */
#define aggr_table__grow(table, shape) aggr_table__replace(table, aggr_table__grown(*(table), sizeof(**(table)), shape))

#endif
