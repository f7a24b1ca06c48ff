/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a command line by the rows of option-rows.h. */
#ifndef PSTAT_BUILTIN_OPTION_WORDS_H
#define PSTAT_BUILTIN_OPTION_WORDS_H

#include <stdbool.h>

#include "builtin/options/option-rows.h"

/*
 * Reads @argv and stores what it says into @raw and raw->to. Numbers are only stored by
 * option_words__resolve_values(), because conflicts are reported first. Returns 0, or the exit code
 * after printing why a word is no option; --help and --usage end the process.
 */
int option_words__read(struct raw_options *raw, int argc, char **argv);

/* Stands for the value in raw_options.given of an option that was given without a value. */
extern const char option_no_value[];

/* @option is "-x" or "--name". Returns its value, option_no_value, or NULL if it was not given. */
const char *option_words__given(const struct raw_options *raw, const char *option);
/* Treats an option as if it was given with @text, or as if its negative form was given. */
void option_words__give(struct raw_options *raw, const char *option, const char *text);
void option_words__drop(struct raw_options *raw, const char *option);

/* The field that an option sets. */
void *option_words__field(struct raw_options *raw, const struct option_value *value);

/*
 * Each returns 0, or the exit code after printing the first error in the order of the rows.
 * Conflicts come before requirements. @profile_only: checks the rules that perf stat, and so `pstat
 * stat`, does not have; otherwise all other rules.
 */
int option_words__resolve_rules(const struct raw_options *raw, bool profile_only);
int option_words__resolve_values(struct raw_options *raw);

/*
 * Prints --help, --usage or an error message, as argp does, for the words that begin with argv[1].
 * Ends the process, or returns the exit code if argp was told not to.
 */
int option_words__explain(enum option_command command, int argc, char **argv);

#endif
