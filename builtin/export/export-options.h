/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of `pstat export`. Most options are also options of `pstat stat`, whose
 * functions check them and find the tasks, CPUs, programs and events that the options name.
 */
#ifndef PSTAT_BUILTIN_EXPORT_OPTIONS_H
#define PSTAT_BUILTIN_EXPORT_OPTIONS_H

#include <stdbool.h>

#include "builtin/stat/stat-options.h"
#include "util/output/openmetrics.h"

/* export_options__parse() fills in this struct, and nothing changes it afterwards. */
struct export_options {
	struct stat_options stat;
	const char *listen;	   /* argument of --listen, an address; NULL: not given */
	const char *textfile;	   /* argument of --textfile, a path; NULL: not given */
	bool once;		   /* print the metrics once, and exit */
	const char *format_text;   /* argument of --format; NULL: not given */
	enum metric_format format; /* the format of --once and --textfile */
};

/*
 * Returns 0, or the exit code after reporting an error. In both cases, the caller must call
 * export_options__free().
 */
int export_options__parse(int argc, char **argv, struct export_options *options);
void export_options__free(struct export_options *options);

#endif
