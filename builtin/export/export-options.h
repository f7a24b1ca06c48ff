/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of `pstat export`. `pstat stat` has the same options for targets and events, and
 * the same functions check and complete them.
 */
#ifndef PSTAT_BUILTIN_EXPORT_OPTIONS_H
#define PSTAT_BUILTIN_EXPORT_OPTIONS_H

#include <stdbool.h>

#include "builtin/stat/stat-options.h"
#include "util/output/openmetrics.h"

/* Filled by export_options__parse(); const afterwards. */
struct export_options {
	struct stat_options stat;
	const char *listen;   /* the address to serve at; NULL: the default, or none */
	const char *textfile; /* the file to write at each interval; NULL: none */
	bool once;	      /* print the metrics once, and exit */
	const char *format_text;
	enum metric_format format; /* the format of --once */
};

/* Returns 0 and fills @options, or returns the exit code after reporting an error. */
int export_options__parse(int argc, char **argv, struct export_options *options);
void export_options__free(struct export_options *options);

#endif
