/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of metrics, each with the names of those in it. */
#ifndef PSTAT_BUILTIN_LIST_METRIC_GROUPS_H
#define PSTAT_BUILTIN_LIST_METRIC_GROUPS_H

#include <stdbool.h>

struct list_metrics_options;
struct metric_table;
struct strbuf;

/*
 * Adds the groups of @table that the options choose, sorted, as text or as elements of a JSON
 * array, which has elements already if it is @begun. Returns their number. If memory runs out,
 * strbuf__failed(@text) is true.
 */
int list_metric_groups__add(const struct list_metrics_options *options, const struct metric_table *table, bool begun,
			    struct strbuf *text);

#endif
