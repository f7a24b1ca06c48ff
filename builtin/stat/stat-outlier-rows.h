/* SPDX-License-Identifier: GPL-2.0-only */
/* Single runs of --outliers on their way from the count to the output. */
#ifndef PSTAT_BUILTIN_STAT_OUTLIER_ROWS_H
#define PSTAT_BUILTIN_STAT_OUTLIER_ROWS_H

struct outlier;
struct outlier_sums;
struct stat_options;
struct stat_output;

/* Both 0 or -errno, told. */
int stat_outlier_rows__show(const struct stat_options *options, struct stat_output *out, const struct outlier *outlier);
/* At the end what became of all. Without --outliers nothing is done. */
int stat_outlier_rows__end(const struct stat_options *options, struct stat_output *out,
			   const struct outlier_sums *sums);

#endif
