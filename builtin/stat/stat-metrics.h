/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `pstat stat` for metrics, and the events that these options add. */
#ifndef PSTAT_BUILTIN_STAT_METRICS_H
#define PSTAT_BUILTIN_STAT_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"

struct event_env;
struct evlist;
struct metric_set;
struct metric_table;
struct stat_config;
struct strbuf;
struct vendor;

/*
 * If no option for metrics is given, and neither -d nor perf's configuration requests default
 * metrics, the struct stays equal to STAT_METRICS_INIT.
 */
struct stat_metrics {
	struct strbuf list; /* the arguments of all -M options, separated by commas */
	bool given;	    /* -M was given */
	const char *file;   /* value of --metrics-file; NULL: not given */
	bool only, no_group, no_merge, no_threshold;
	bool only_given; /* --[no-]metric-only was given: no other option may change `only` */
	bool topdown;
	uint64_t td_level; /* 0: --td-level was not given */
	bool transaction;
	bool defaults; /* perf's configuration requests default metrics even without -d */
	bool smi_cost;
	struct metric_table *table;
	struct metric_set *set; /* NULL: no metrics */
};

#define STAT_METRICS_INIT            \
	{                            \
		.list = STRBUF_INIT, \
	}

/*
 * Appends to @evlist the events that -M, -T, --smi-cost and --topdown need. Returns 0, or the exit
 * code after reporting an error.
 */
int stat_metrics__add_events(struct stat_metrics *metrics, const struct stat_config *cfg,
			     const struct event_env *env, struct evlist *evlist);
/*
 * Adds the events of the vendor's default metrics. Call this only if the user selected neither
 * events nor metrics. If the metrics cannot be counted on this machine, leaves them out, and prints
 * the reason with -v. Returns 0, or the exit code after reporting an error.
 */
int stat_metrics__add_defaults(struct stat_metrics *metrics, const struct stat_config *cfg,
			       const struct event_env *env, struct evlist *evlist);
void stat_metrics__free(struct stat_metrics *metrics);

/* ---- stat-topdown.c: the groups of metrics for --topdown, -T and --smi-cost ---- */

/*
 * Appends to @group the name of the group of metrics that --topdown uses. @level is the argument of
 * --td-level; 0 selects level 1. Intel and Arm call the groups TopdownL1, TopdownL2 and so on. AMD
 * calls them PipelineL1 and PipelineL2. Returns 0, or the exit code after printing perf's message.
 * If the group is missing because the vendor's metrics are not installed, also warns. @vendor may
 * be NULL.
 */
int stat_topdown__find(const struct metric_table *table, uint64_t level, struct vendor *vendor,
		       struct strbuf *group);

/*
 * Checks that @name, either "transaction" or "smi", is a metric or a group of metrics. Returns 0,
 * or the exit code after printing perf's message. Like stat_topdown__find(), warns if the vendor's
 * metrics are not installed.
 */
int stat_topdown__check(const struct metric_table *table, struct vendor *vendor, const char *name);

#endif
