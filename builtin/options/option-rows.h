/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of `pstat stat`, `pstat profile` and `pstat export`. Each option has one row. These
 * files define and use the rows:
 *
 *	option-rows.c	the rows
 *	option-words.c	reads the command line and stores values in the fields that the rows name
 *	option-rules.c	checks conflicts, requirements and the ranges of numbers; stores numbers
 *	option-help.c	--help, --usage, and the messages about unknown or invalid options
 *
 * To add an option, add a row, and write the code that reads the field that the row names.
 */
#ifndef PSTAT_BUILTIN_OPTION_ROWS_H
#define PSTAT_BUILTIN_OPTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw_options;

enum option_command {
	OF_STAT,
	OF_PROFILE,
	OF_EXPORT,
	OPTION_COMMAND_NR,
};

/* The sections of --help, in the order in which they are printed. HIDDEN is not printed. */
enum option_section { HIDDEN, WHAT, WHOM, ROWS, WHEN, METRICS, SHOW, ELSE, SECTION_NR };

enum option_flags {
	/*
	 * the option has a negative form: --no-NAME; if NAME itself begins with "no-", the negative
	 * form is NAME without "no-"
	 */
	NEGATABLE = 1,
	OWN = 2,	  /* perf stat has no option with this name */
	OPTIONAL = 4,	  /* the value can be omitted */
	ZERO_IS_NONE = 8, /* the value 0 has the same effect as omitting the option */
	NO_IS_ZERO = 16,  /* treat the negative form as the value 0 */
	EXPORT = 32,	  /* `pstat export` has the option */
	EXPORT_ONLY = 64, /* with EXPORT: no other command has the option */
};

enum option_kind {
	OPTION_NOTHING, /* has no effect */
	OPTION_BOOL,	/* sets a bool to `which`, or to !`which` for the negative form */
	OPTION_COUNT,	/* adds 1 to an int, or sets it to 0 for the negative form */
	OPTION_TEXT,	/* sets a const char *; the last value is used */
	OPTION_NUMBER,	/* sets a uint64_t or uint32_t to a number (`min` to `max`) times `unit` */
	OPTION_CHECKED, /* check() reads the value */
	OPTION_MODE,	/* selects the rows of the report; `which` is an enum aggr_mode */
	OPTION_WORD,	/* adds a word to raw_options.words; `which` is an enum event_word_kind */
	OPTION_CALL,	/* calls take() */
	OPTION_REFUSED, /* an option of perf that pstat does not have */
};

struct option_value {
	uint8_t kind; /* enum option_kind */
	uint8_t which;
	/*
	 * true: the option sets a field of struct raw_options (stat-raw.h), and `at` is an offset
	 * in this struct; false: `at` is an offset from raw_options.to. The stat_options there is
	 * the first member of the profile_options or export_options of these commands, so the field
	 * can also be one of theirs.
	 */
	bool in_raw;
	uint8_t size; /* size of this field */
	uint32_t at;  /* offset of this field */
	/* `min`, `unit`, `max` and `what` are only for OPTION_NUMBER */
	uint32_t min, unit;
	uint64_t max;
	const char *what; /* describes the number in messages */
	/*
	 * OPTION_CALL: called when the option is read. @text is NULL if the option has no value.
	 * @on is false for the negative form.
	 */
	void (*take)(struct raw_options *raw, const char *text, bool on);
	/*
	 * Called if the option was given, after the rules of all options have been checked. Returns
	 * 0, or an exit code after reporting an error.
	 */
	int (*check)(struct raw_options *raw, const char *text);
};

enum option_rule_kind {
	RULE_NONE,	   /* ends a list of rules */
	RULE_CONFLICT,	   /* the option cannot be combined with any option in `others` */
	RULE_CONFLICT_WHY, /* like RULE_CONFLICT, but the message contains only `why` */
	RULE_NEED,	   /* the option needs one of the options in `others` */
};

struct option_rule {
	enum option_rule_kind kind;
	const char *others; /* options separated by spaces, such as "-b --scope" */
	const char *why;
	bool profile_only, stat_only;
};

struct option_row {
	const char *name;
	char letter;	 /* 0: none */
	uint8_t section; /* enum option_section */
	uint8_t flags;	 /* enum option_flags */
	const char *arg; /* name of the value in --help; NULL: the option has no value */
	struct option_value value;
	/* help in `pstat stat` and `pstat export`; NULL: only `pstat profile` has the option */
	const char *help;
	const char *profile; /* help in `pstat profile`; NULL: it does not have the option */
	const struct option_rule *rules;
};

/* An upper limit on the number of rows. */
#define OPTION_ROWS_MAX 128

extern const struct option_row option_rows[];
extern const int nr_option_rows;

#define for_each_option_row(row) \
	for (const struct option_row *row = option_rows; row < option_rows + nr_option_rows; row++)

/* The value of option_row.profile if the help is the same as in `pstat stat`. */
extern const char option_same_help[];

/* ---- option-words.c ---- */

/* Returns the help of the option for @command, or NULL if @command does not have the option. */
const char *option_row__help(const struct option_row *row, enum option_command command);

/* The size of @text in the functions below. */
#define OPTION_NAME_MAX 40
/* Writes "-x" to @text, or "--name" if the option has no letter. Returns @text. */
const char *option_row__format(const struct option_row *row, char text[OPTION_NAME_MAX]);

/*
 * Writes the long name, without the two dashes before it, to @text. If @on is false, writes the
 * negative form.
 */
void option_row__format_long(const struct option_row *row, bool on, char text[OPTION_NAME_MAX]);

/*
 * Returns the row of @option, or NULL if no option has this name. @option begins with "-x" or
 * "--name", whose length is @len; other text may follow.
 */
const struct option_row *option_rows__find(const char *option, size_t len);

#endif
