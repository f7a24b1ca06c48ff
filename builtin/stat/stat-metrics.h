/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `pstat stat` for metrics, and the events that metrics add. */
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

/* STAT_METRICS_INIT is the value without any of these options. */
struct stat_metrics {
	struct strbuf list; /* of all -M, separated by commas */
	bool given;	    /* -M was given */
	const char *file;   /* of --metrics-file, NULL without */
	bool only, no_group, no_merge, no_threshold;
	bool only_given; /* --metric-only was given: --topdown and --smi-cost do not change it */
	bool topdown;
	uint64_t td_level; /* 0 without --td-level */
	bool transaction;
	bool defaults; /* perf's configuration asks for default metrics even without -d */
	bool smi_cost;
	struct metric_table *table;
	struct metric_set *set; /* NULL: no metrics */
};

#define STAT_METRICS_INIT            \
	{                            \
		.list = STRBUF_INIT, \
	}

/* Are metrics counted? If so, there are no default events. */
bool stat_metrics__any(const struct stat_metrics *metrics);

/*
 * Adds the events that -M, -T, --smi-cost and --topdown need to the end of @evlist. Returns 0, or
 * the exit code after reporting an error.
 */
int stat_metrics__add_events(struct stat_metrics *metrics, const struct stat_config *cfg,
			     const struct event_env *env, struct evlist *evlist);
/*
 * Adds the events of the metrics that the vendor wants in a report without -e and -M. If they
 * cannot be counted on this machine, they are left out, and -v prints the reason. Returns 0, or the
 * exit code after reporting an error.
 */
int stat_metrics__add_defaults(struct stat_metrics *metrics, const struct stat_config *cfg,
			       const struct event_env *env, struct evlist *evlist);
void stat_metrics__free(struct stat_metrics *metrics);

/* ---- stat-topdown.c: the groups that --topdown, -T and --smi-cost use on this machine ---- */

/*
 * Adds the name of the group that --topdown uses to @group. @level is the argument of --td-level; 0
 * means 1. Intel's and Arm's groups are TopdownL1, TopdownL2 ..., AMD's are PipelineL1 and
 * PipelineL2. If there is no such group and the vendor's metrics are not installed, warns about
 * that; @vendor may be NULL. Returns 0, or the exit code after printing perf's message.
 */
int stat_topdown__find(const struct metric_table *table, uint64_t level, struct vendor *vendor,
		       struct strbuf *group);

/*
 * Returns 0 if @name, "transaction" or "smi", is a metric or a group; otherwise as
 * stat_topdown__find().
 */
int stat_metric_group__check(const struct metric_table *table, struct vendor *vendor,
			     const char *name);

#endif
