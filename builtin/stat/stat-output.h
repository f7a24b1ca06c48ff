/* SPDX-License-Identifier: GPL-2.0-only */
/* The file and the format in which `pstat stat` prints counts. */
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
 * Opens the file of -o or --log-fd, or uses stderr. If the file was created and nothing was written
 * to it, stat_output__free() removes it, so that a command that fails leaves no file. Returns 0, or
 * -errno after reporting the reason.
 */
int stat_output__new(const struct stat_options *options, struct stat_output **out);
/* Returns 0; or, if data may not have reached the file, -errno after reporting the reason. */
int stat_output__free(struct stat_output *out);

/*
 * Print the rows of an interval, and the totals. @runs_done is the number of repetitions in the
 * totals. The first call begins the output, and empties an existing file. Both return 0, or -errno
 * after reporting the reason. With --quiet, they do nothing.
 */
int stat_output__interval(struct stat_output *out, uint64_t time_ns, const struct stat_rows *rows);
int stat_output__total(struct stat_output *out, const struct stat_rows *rows,
		       const struct output_foot *foot, int runs_done);

/* Prints a whole report, for example a comparison. Returns the same as the functions above. */
int stat_output__text(struct stat_output *out, const struct strbuf *text);

/*
 * Adds a comment below the rows of a text report. Prints nothing in other formats, with --quiet,
 * and under the name perf.
 */
int stat_output__note(struct stat_output *out, const char *text);

/*
 * Print a single run of --outliers, and the sums of --outliers at the end. They return the same as
 * the functions above.
 */
int stat_output__outlier(struct stat_output *out, const struct outlier *outlier);
int stat_output__outlier_foot(struct stat_output *out, const struct outlier_sums *sums);

#endif
