/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints all lists except the list of events, which list.c prints. Each function returns 0, or an
 * exit code after reporting an error.
 */
#ifndef PSTAT_BUILTIN_LIST_H
#define PSTAT_BUILTIN_LIST_H

#include <stdbool.h>
#include <stdio.h>

struct list_options;
struct list_out;
struct list_style;
struct sysroots;
struct vendor;

/*
 * pstat list --free: how many counters are free now, for each PMU and CPU; the processes that hold
 * perf events; and the leaders of shared counters.
 */
int list_free(const struct list_options *options, FILE *file);

/*
 * pstat list scopes FILE: the functions and USDT points of a program or library. options->globs[0]
 * is FILE.
 */
int list_scopes(const struct list_options *options, struct list_out *out);

struct list_metrics_options {
	const char *const *globs; /* patterns for metrics and groups; case is ignored */
	int nr_globs;		  /* 0: all metrics */
	const char *file;	  /* the value of --metrics-file, or NULL */
	struct vendor *vendor;	  /* the vendor's metrics, or NULL */
	const struct sysroots *roots;
	const struct list_style *style;
	bool by_group; /* list groups, with the names of their metrics, instead of metrics */
	bool quiet;    /* no warning if a glob matches no metric: the glob may match an event */
};

/*
 * `pstat list metrics` and `pstat list metricgroup`: the names that -M accepts, as text or as
 * elements of a JSON array.
 */
int list_metrics(const struct list_metrics_options *options, struct list_out *out);

#endif
