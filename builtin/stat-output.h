/* SPDX-License-Identifier: GPL-2.0-only */
/* Where and how `pstat stat` shows what was counted: the stream, its format, and what the head says. */
#ifndef PSTAT_BUILTIN_STAT_OUTPUT_H
#define PSTAT_BUILTIN_STAT_OUTPUT_H

struct output;
struct stat_options;
struct stat_output;

/*
 * Opens -o's file, or takes stderr. A file that was made for this and never written to is removed again by
 * stat_output__free(): a command that fails leaves none behind. 0 or -errno, told.
 */
int stat_output__new(const struct stat_options *options, struct stat_output **out);
void stat_output__free(struct stat_output *out);

/* The stream, begun at the first call: an older file of that name is emptied then, not before. NULL with an error told. */
struct output *stat_output__stream(struct stat_output *out);

/* The head that says what was counted. 0 or -errno. */
int stat_output__begin(struct stat_output *out);

#endif
