/* SPDX-License-Identifier: GPL-2.0-only */
/* First half of making a metric set: from -M's list to compiled metrics, in the order in which they take their events. */
#ifndef PSTAT_REPORT_METRIC_CHOOSE_H
#define PSTAT_REPORT_METRIC_CHOOSE_H

#define METRIC_GROUP_DEFAULT "Default"

struct metric_chosen;
struct metric_set;
struct metric_set_config;
struct strbuf;

/* As metric_set__new(), which goes on from here. The set keeps what was made until it fails. */
int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set, struct strbuf *why);
void metric_chosen__clear(struct metric_chosen *metric);

#endif
