/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of metrics, each with the names of those in it. */
#ifndef PSTAT_BUILTIN_LIST_METRIC_GROUPS_H
#define PSTAT_BUILTIN_LIST_METRIC_GROUPS_H

struct list_metrics_options;
struct metric_table;
struct strbuf;

/* Adds those of @table that are asked for, sorted, as text or elements of a JSON array. How many; without memory @text has failed. */
int list_metric_groups__add(const struct list_metrics_options *options, const struct metric_table *table,
			    struct strbuf *text);

#endif
