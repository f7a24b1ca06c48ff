/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a command line according to the rows of option-rows.h. */
#ifndef PSTAT_BUILTIN_OPTION_WORDS_H
#define PSTAT_BUILTIN_OPTION_WORDS_H

#include <stdbool.h>

#include "builtin/options/option-rows.h"

/*
 * Reads @argv and stores the options in @raw and raw->to. Does not store numbers.
 * option_words__resolve_values() checks and stores them later, because pstat reports conflicts
 * between options first. Returns 0, or the exit code after reporting an unknown or invalid option.
 * --help and --usage end the process.
 */
int option_words__read(struct raw_options *raw, int argc, char **argv);

/* What raw_options.given contains for an option that was given without a value. */
extern const char option_no_value[];

/*
 * Returns the value of @option, a name of the form "-x" or "--name". Returns option_no_value if the
 * option was given without a value, or NULL if the option was not given.
 */
const char *option_words__given(const struct raw_options *raw, const char *option);
/* Acts as if the user had given the option with the value @text. */
void option_words__give(struct raw_options *raw, const char *option, const char *text);
/* Acts as if the user had given the negative form of the option. */
void option_words__drop(struct raw_options *raw, const char *option);

/* Returns the address of the field that an option sets. */
void *option_words__field(struct raw_options *raw, const struct option_value *value);

/*
 * Checks conflicts, and then requirements (option_row.rules), both in the order of the rows. If
 * @profile_only is true, checks only the rules with option_rule.profile_only; otherwise, checks
 * only the rules without it, and skips rules with option_rule.stat_only unless the command is
 * `pstat stat`. Returns 0, or the exit code after reporting the first error.
 */
int option_words__resolve_rules(const struct raw_options *raw, bool profile_only);
/*
 * Checks and stores numbers, and calls option_value.check(), in the order of the rows. Returns 0,
 * or the exit code after reporting the first error.
 */
int option_words__resolve_values(struct raw_options *raw);

/*
 * Makes argp read the command line from argv[1] on, to print the help, the usage or an error
 * message. Usually does not return, because argp ends the process. If argp returns, returns the
 * exit code.
 */
int option_words__explain(enum option_command command, int argc, char **argv);

#endif
