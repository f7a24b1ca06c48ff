/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements --save, --against and --ab. Keeps the values of each repetition or interval. --save
 * writes the values to a file. --against compares them with the values in another file. --ab
 * compares the values of two commands.
 */
#ifndef PSTAT_BUILTIN_STAT_BASELINE_H
#define PSTAT_BUILTIN_STAT_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

struct measurement;
struct session_end;
struct stat_baseline;
struct stat_options;
struct stat_output;
struct stat_rows;

/*
 * Reads the file of --against, and checks that the file of --save can be written. Returns 0, or the
 * exit code after reporting an error.
 */
int stat_baseline__new(const struct stat_options *options, struct stat_baseline **out);
void stat_baseline__free(struct stat_baseline *b);

/*
 * stat_baseline__add_rows() keeps the rows of a repetition or an interval. stat_baseline__add_run()
 * adds the number of lost runs of a repetition to a total. Unless there are intervals, it also
 * keeps the times and the exit code of the repetition. @side is the index of the --ab command;
 * without --ab, it is 0. Both functions return 0 or -ENOMEM.
 */
int stat_baseline__add_rows(struct stat_baseline *b, int side, const struct stat_rows *rows);
int stat_baseline__add_run(struct stat_baseline *b, int side, const struct session_end *end);

/*
 * Writes the file of --save, and prints the comparison of --against or --ab. Returns 0, an exit
 * code from builtin/compare/compare-print.h, or EXIT_FAILED or EXIT_USAGE after reporting an error.
 */
int stat_baseline__finish(struct stat_baseline *b, struct stat_output *output);

#endif
