/* SPDX-License-Identifier: GPL-2.0-only */
/* `pstat list metrics` and `pstat list metricgroup`: what -M takes. */
#ifndef PSTAT_BUILTIN_LIST_METRICS_H
#define PSTAT_BUILTIN_LIST_METRICS_H

#include <stdbool.h>
#include <stdio.h>

struct sysroots;
struct vendor;

struct list_metrics_options {
	const char *const *globs; /* patterns for names and groups, or parts of them, case aside */
	int nr_globs;		  /* 0: all metrics */
	const char *file;	  /* of --metrics-file, or NULL */
	struct vendor *vendor;	  /* the vendor's metrics; NULL without */
	const struct sysroots *roots;
	bool by_group;	 /* groups with the names of their metrics; else metrics */
	bool json;	 /* an array of objects */
	bool details;	 /* text: expressions, thresholds and long descriptions too */
	bool names_only; /* text: nothing but names */
};

/* Does a glob of @options match @name? Without globs each does. */
bool list_metrics__wants(const struct list_metrics_options *options, const char *name);

/* Writes to @out. 0, or the exit code after telling the user what is wrong. */
int list_metrics(const struct list_metrics_options *options, FILE *out);

#endif
