// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/aggr-table.h"

#include <stdlib.h>
#include <string.h>

void *aggr_table__grown(void *old, size_t size, int events, const struct aggr_shape *from,
			const struct aggr_shape *to)
{
	size_t had = (size_t)from->aggrs * size, want = (size_t)to->aggrs * size;
	size_t all = (size_t)events * (size_t)to->subjects * want;
	char *table = calloc(all + 1, 1); /* never 0 bytes, for which calloc() may return NULL */

	for (size_t event = 0; table && old && event < (size_t)events; event++)
		for (size_t subject = 0; subject < (size_t)from->subjects; subject++)
			memcpy(table + (event * (size_t)to->subjects + subject) * want,
			       (char *)old + (event * (size_t)from->subjects + subject) * had, had);
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
