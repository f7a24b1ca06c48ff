/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints counts to the file and in the format that the options of `pstat stat` select. */
#ifndef PSTAT_BUILTIN_STAT_OUTPUT_H
#define PSTAT_BUILTIN_STAT_OUTPUT_H

#include <stdint.h>

struct outlier;
struct outlier_sums;
struct output_foot;
struct stat_options;
struct stat_output;
struct stat_rows;
struct strbuf;

/*
 * Opens the file of -o or --log-fd, or uses stderr. If this function creates the file of -o and
 * nothing is written to the file, stat_output__free() removes it. So a session that fails leaves no
 * empty file. Returns 0, or -errno after reporting the reason.
 */
int stat_output__new(const struct stat_options *options, struct stat_output **out);
/* Closes the file. Returns 0, or -errno after reporting that the file may be incomplete. */
int stat_output__free(struct stat_output *out);

/*
 * stat_output__interval() prints the rows of an interval, which ended at @time_ns
 * (measurement.time_ns). stat_output__total() prints the totals. @runs_done is the number of
 * repetitions in the totals. With --quiet, both functions do nothing. They return 0, or -errno
 * after reporting the reason. Unless --append was given, the first output empties the file of -o.
 */
int stat_output__interval(struct stat_output *out, uint64_t time_ns, const struct stat_rows *rows);
int stat_output__total(struct stat_output *out, const struct stat_rows *rows,
		       const struct output_foot *foot, int runs_done);

/*
 * Prints a text, for example a comparison. With --quiet, does nothing. Returns 0, or -errno after
 * reporting the reason.
 */
int stat_output__text(struct stat_output *out, const struct strbuf *text);

/*
 * Prints a comment below the rows of a text report. Prints nothing in other formats, with --quiet,
 * or under the name perf. Returns 0, or -errno after reporting the reason.
 */
int stat_output__note(struct stat_output *out, const char *text);

/*
 * stat_output__outlier() prints one outlier. stat_output__outlier_foot() prints how many outliers
 * were printed, suppressed by --outlier-rate, or lost; call this function at the end. Both return
 * 0, or -errno after reporting the reason.
 */
int stat_output__outlier(struct stat_output *out, const struct outlier *outlier);
int stat_output__outlier_foot(struct stat_output *out, const struct outlier_sums *sums);

#endif
