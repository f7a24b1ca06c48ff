/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place where messages to the user leave the program. The exceptions are errors in perf's
 * own words, which have no prefix: those for events (parse-error.h) and for unknown metrics.
 * Messages go to stderr. Each begins with "pstat: ", and continuation lines (after a newline inside
 * one message) are indented to align with the first. Names in messages can come from any user, so
 * control characters other than tab are printed as '?'.
 *
 * Scripts look for the name of an event on stderr and take each line that has it for a row of
 * counts. Messages of the level LOG_WARNING that can appear next to a report therefore say "the
 * event" or "event 2", counted from 1 in the order of the rows, and not its name.
 */
#ifndef PSTAT_BASE_LOG_H
#define PSTAT_BASE_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_ERROR,   /* errors that stop the command */
	LOG_WARNING, /* the figures are not exactly what was asked for */
	LOG_INFO,    /* printed with -v */
	LOG_DEBUG,   /* printed with -vv, together with libbpf's own messages */
};

/* Messages above @level are dropped. The default is LOG_WARNING. Set it once, from the options. */
void log__set_level(enum log_level level);
bool log__enabled(enum log_level level);

void log__print(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Prints each message only once. For messages about the machine or the user's rights, which would
 * be the same in each repetition of -r.
 */
void log__print_once(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs "out of memory" and returns -ENOMEM. */
int log__out_of_memory(void);

/* For messages that contain the value of an option: returns @value, or '' if it is empty. */
const char *log__value(const char *value);

/*
 * Prints the text without the "pstat: " prefix, because scripts match perf's exact output. It
 * counts as a warning. If there is a sink, the text is dropped.
 */
void log__plain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the text without a prefix, as log__plain() does, at any level. A sink gets the text only
 * at the level LOG_ERROR.
 */
void log__plain_at(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Sends the messages up to the current level to @sink instead of stderr. For a library, whose
 * program decides which messages appear where. NULL restores stderr.
 */
void log__set_sink(void (*sink)(enum log_level level, const char *text));

#define pr_err(...) log__print(LOG_ERROR, __VA_ARGS__)
#define pr_warn(...) log__print(LOG_WARNING, __VA_ARGS__)
#define pr_warn_once(...) log__print_once(LOG_WARNING, __VA_ARGS__)
#define pr_info(...) log__print(LOG_INFO, __VA_ARGS__)
#define pr_debug(...) log__print(LOG_DEBUG, __VA_ARGS__)

#endif
