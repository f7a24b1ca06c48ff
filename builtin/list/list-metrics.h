/* SPDX-License-Identifier: GPL-2.0-only */
/* `pstat list metrics` and `pstat list metricgroup` print the names that -M accepts. */
#ifndef PSTAT_BUILTIN_LIST_METRICS_H
#define PSTAT_BUILTIN_LIST_METRICS_H

#include <stdbool.h>

struct list_out;
struct list_style;
struct sysroots;
struct vendor;

struct list_metrics_options {
	const char *const *globs; /* patterns for names and groups, ignoring case */
	int nr_globs;		  /* 0: all metrics */
	const char *file;	  /* the value of --metrics-file, or NULL */
	struct vendor *vendor;	  /* the vendor's metrics, or NULL */
	const struct sysroots *roots;
	const struct list_style *style;
	bool by_group; /* list groups with the names of their metrics, and not single metrics */
	bool quiet;    /* do not warn if a glob matches no metric, because it may match events */
};

/*
 * Writes text, or elements of a JSON array. Returns 0, or the exit code after reporting an error.
 */
int list_metrics(const struct list_metrics_options *options, struct list_out *out);

#endif
