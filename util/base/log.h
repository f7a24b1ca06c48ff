/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All messages to the user are printed here, with one exception: errors in perf's own words, which
 * have no prefix, for events (parse-error.h) and for unknown metrics. Messages are printed to
 * stderr. Each begins with "pstat: ". Further lines of a message are indented, so that they are
 * below the first one. Names in messages can come from any user, so control characters other than
 * tab are printed as '?'.
 *
 * Scripts search stderr for the name of an event, and mistake each line that contains it for a row
 * of counts. So messages of the level LOG_WARNING that can appear next to a report do not contain
 * the name. They say "the event" or "event 2", counted from 1 in the order of the rows.
 */
#ifndef PSTAT_BASE_LOG_H
#define PSTAT_BASE_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_ERROR,   /* errors that stop the command */
	LOG_WARNING, /* the counts are not exactly those that the user asked for */
	LOG_INFO,    /* printed with -v */
	LOG_DEBUG,   /* printed with -vv, together with libbpf's own messages */
};

/*
 * Sets the level. Messages above @level are dropped. The default is LOG_WARNING. Called once, when
 * the options are known.
 */
void log__set_level(enum log_level level);
bool log__enabled(enum log_level level);

void log__print(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Prints each message only once. Use this for messages about the machine or the user's privileges,
 * which would be the same in each repetition of -r.
 */
void log__print_once(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs "out of memory" and returns -ENOMEM. */
int log__out_of_memory(void);

/* Returns @value, the value of an option, for a message; '' if it is empty. */
const char *log__value(const char *value);

/*
 * Prints the text without the "pstat: " prefix, because scripts match perf's exact output. The
 * level is LOG_WARNING. If there is a sink, the text is dropped.
 */
void log__plain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the text without a prefix, as log__plain() does, at any level. A sink gets the text only
 * at the level LOG_ERROR.
 */
void log__plain_at(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Passes the messages up to the current level to @sink instead of stderr. Used by the library,
 * because the program that uses it decides where messages appear. NULL restores stderr.
 */
void log__set_sink(void (*sink)(enum log_level level, const char *text));

#define pr_err(...) log__print(LOG_ERROR, __VA_ARGS__)
#define pr_warn(...) log__print(LOG_WARNING, __VA_ARGS__)
#define pr_warn_once(...) log__print_once(LOG_WARNING, __VA_ARGS__)
#define pr_info(...) log__print(LOG_INFO, __VA_ARGS__)
#define pr_debug(...) log__print(LOG_DEBUG, __VA_ARGS__)

#endif
