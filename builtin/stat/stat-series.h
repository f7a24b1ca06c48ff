/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of one `pstat stat`, one or as many as -r says, and what is shown of them. */
#ifndef PSTAT_BUILTIN_STAT_SERIES_H
#define PSTAT_BUILTIN_STAT_SERIES_H

struct report;
struct stat_options;
struct stat_output;

/*
 * Returns the exit code: the command's own, of the first run in which it was not 0, or one of builtin.h's. *@died_of is the
 * signal that ended the last run, for the caller to die of, or 0.
 */
int stat_series__run(const struct stat_options *options, struct report *report, struct stat_output *output,
		     int *died_of);

#endif
