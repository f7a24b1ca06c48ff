/* SPDX-License-Identifier: GPL-2.0-only */
/* The repetitions of `pstat stat`: one, or the number of -r. */
#ifndef PSTAT_BUILTIN_STAT_SERIES_H
#define PSTAT_BUILTIN_STAT_SERIES_H

struct report;
struct stat_options;
struct stat_output;

/*
 * Returns the exit code: the first one of the command that is not 0, or one of builtin.h. *@died_of
 * is the signal that ended the last repetition, by which the caller must end, or 0.
 */
int stat_series__run(const struct stat_options *options, struct report *report,
		     struct stat_output *output, int *died_of);

#endif
