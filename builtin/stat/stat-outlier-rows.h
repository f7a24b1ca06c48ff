/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes the single runs of --outliers from the session to the output. */
#ifndef PSTAT_BUILTIN_STAT_OUTLIER_ROWS_H
#define PSTAT_BUILTIN_STAT_OUTLIER_ROWS_H

struct outlier;
struct outlier_sums;
struct stat_options;
struct stat_output;

/* Both functions return 0, or -errno after reporting the reason. */
int stat_outlier_rows__show(const struct stat_options *options, struct stat_output *out, const struct outlier *outlier);
/* Prints the totals at the end. Does nothing without --outliers. */
int stat_outlier_rows__end(const struct stat_options *options, struct stat_output *out,
			   const struct outlier_sums *sums);

#endif
