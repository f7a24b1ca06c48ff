/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a command line according to the rows of option-rows.h. */
#ifndef PSTAT_BUILTIN_OPTION_WORDS_H
#define PSTAT_BUILTIN_OPTION_WORDS_H

#include <stdbool.h>

#include "builtin/options/option-rows.h"

/*
 * Reads @argv and stores the options in @raw and raw->to. Numbers are stored later, by
 * option_words__resolve_values(), because conflicts are reported first. Returns 0, or the exit code
 * after reporting an invalid word; --help and --usage end the process.
 */
int option_words__read(struct raw_options *raw, int argc, char **argv);

/* The value in raw_options.given of an option that was given without a value. */
extern const char option_no_value[];

/*
 * @option is "-x" or "--name". Returns its value, option_no_value, or NULL if the option was not
 * given.
 */
const char *option_words__given(const struct raw_options *raw, const char *option);
/* Act as if an option were given with @text, or as if its negative form were given. */
void option_words__give(struct raw_options *raw, const char *option, const char *text);
void option_words__drop(struct raw_options *raw, const char *option);

/* Returns the field that an option sets. */
void *option_words__field(struct raw_options *raw, const struct option_value *value);

/*
 * Each function returns 0, or the exit code after reporting the first error in the order of the
 * rows. Conflicts come before requirements. With @profile_only, checks only the rules that `pstat
 * stat`, like perf stat, does not have; otherwise checks all other rules.
 */
int option_words__resolve_rules(const struct raw_options *raw, bool profile_only);
int option_words__resolve_values(struct raw_options *raw);

/*
 * Makes argp print --help, --usage or an error message for the words from argv[1] on. argp ends the
 * process; otherwise, returns the exit code.
 */
int option_words__explain(enum option_command command, int argc, char **argv);

#endif
