/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first half of making a metric set turns the list of -M into compiled metrics, in the order in
 * which they take their events.
 */
#ifndef PSTAT_METRIC_CHOOSE_H
#define PSTAT_METRIC_CHOOSE_H

#define METRIC_GROUP_DEFAULT "Default"

struct metric_set;
struct metric_set_config;
struct strbuf;

/* Returns what metric_set__new() returns. After an error, the set has to be freed, too. */
int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set, struct strbuf *why);
/* Sorts default metrics by their headings. Call it after their events were combined. */
void metric_choose__sort_defaults(struct metric_set *set);

#endif
