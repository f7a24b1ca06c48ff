// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/aggr-table.h"

#include <stdlib.h>
#include <string.h>

void *aggr_table__grown(void *old, size_t size, const struct aggr_table *shape)
{
	size_t events = (size_t)shape->events, had = (size_t)shape->had, want = (size_t)shape->want;
	char *table = calloc(events * want + 1, size); /* none of 0 bytes: its NULL would look like no memory */

	for (size_t event = 0; table && old && event < events; event++)
		memcpy(table + event * want * size, (char *)old + event * had * size, had * size);
	if (table)
		free(old);
	return table;
}

bool aggr_table__replace(void *table, void *bigger)
{
	if (bigger)
		memcpy(table, &bigger, sizeof(bigger));
	return bigger;
}
