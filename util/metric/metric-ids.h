/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct metric_ids is a set of the names of events and metrics in an expression. A set lists its
 * names in the order in which perf counts and prints the events of a metric. Scripts that read
 * columns by position depend on this order. perf keeps the names in hash tables
 * (tools/perf/util/expr.c and hashmap.c, Linux 6.12). So perf's order depends on the hashes of the
 * names and on how a table grows. Therefore, these sets are hash tables with perf's hash function,
 * and grow in the same way as perf's tables.
 */
#ifndef PSTAT_METRIC_IDS_H
#define PSTAT_METRIC_IDS_H

struct metric_expr;
struct metric_ids;

/* Returns NULL if memory ran out. */
struct metric_ids *metric_ids__new(void);
void metric_ids__free(struct metric_ids *ids);

/* Adds @name, without copying it, unless the set contains it already. Returns 0 or -ENOMEM. */
int metric_ids__add(struct metric_ids *ids, const char *name);
int metric_ids__nr(const struct metric_ids *ids);

/* Stores the names in @names, in perf's order. @names must have room for metric_ids__nr() names. */
void metric_ids__list(const struct metric_ids *ids, const char **names);

/*
 * Sets *@ids to the set of the events that perf counts for @expr, including the events of the
 * metrics to which @expr refers. The set points to the names in @expr, so @expr must outlive the
 * set. Returns 0 or -ENOMEM.
 */
int metric_ids__of_expr(const struct metric_expr *expr, struct metric_ids **ids);

#endif
