/* SPDX-License-Identifier: GPL-2.0-only */
/* Where and how `pstat stat` shows what was counted: the stream, its format, and what the head says. */
#ifndef PSTAT_BUILTIN_STAT_OUTPUT_H
#define PSTAT_BUILTIN_STAT_OUTPUT_H

struct outlier_foot;
struct outlier_row;
struct output_foot;
struct session_tick;
struct stat_options;
struct stat_output;
struct stat_rows;

/*
 * Opens -o's file or --log-fd's, or takes stderr. A file that was made for this and never written to is removed again by
 * stat_output__free(): a command that fails leaves none behind. 0 or -errno, told.
 */
int stat_output__new(const struct stat_options *options, struct stat_output **out);
/* 0 or -errno, told: what was written may not have got into the file. */
int stat_output__free(struct stat_output *out);

/*
 * An interval, and what was counted in all, @runs_done being the number of runs in it. The stream begins with the first call:
 * an older file of that name is emptied then, not before. 0 or -errno, told. With --quiet nothing is done.
 */
int stat_output__interval(struct stat_output *out, const struct session_tick *tick, const struct stat_rows *rows);
int stat_output__total(struct stat_output *out, const struct stat_rows *rows, const struct output_foot *foot,
		       int runs_done);

/* The same for a single run, and for what became of all of those at the end. */
int stat_output__outlier(struct stat_output *out, const struct outlier_row *row);
int stat_output__outlier_foot(struct stat_output *out, const struct outlier_foot *foot);

#endif
