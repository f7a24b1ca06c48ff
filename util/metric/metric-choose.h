/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first half of making a metric set: converts the list of -M to compiled metrics, in the order
 * in which their events are added.
 */
#ifndef PSTAT_METRIC_CHOOSE_H
#define PSTAT_METRIC_CHOOSE_H

#define METRIC_GROUP_DEFAULT "Default"

struct metric_set;
struct metric_set_config;
struct strbuf;

/* Returns the same as metric_set__new(). Free the set after an error, too. */
int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set, struct strbuf *why);
/* Sorts default metrics by their headings. Call this after combining their events. */
void metric_choose__sort_defaults(struct metric_set *set);

#endif
