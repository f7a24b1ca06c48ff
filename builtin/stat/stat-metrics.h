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

#endif
