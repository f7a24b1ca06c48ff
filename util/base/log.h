/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints messages to stderr. The first line of a message begins with "pstat: ", and the other lines
 * are indented. Texts that repeat perf's exact words have no prefix (see log__plain()). Names in
 * messages can come from any user, so control characters other than tab and newline are printed as
 * '?'.
 *
 * Scripts search stderr for the name of an event, and assume that every line with this name is a
 * row of counts. So a warning that can appear next to a report contains no event name. Instead, it
 * says "the event" or "event 2". Events are numbered from 1 in the order of the rows.
 */
#ifndef PSTAT_BASE_LOG_H
#define PSTAT_BASE_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_ERROR,   /* errors that make pstat fail */
	LOG_WARNING, /* something is wrong or missing, but pstat continues */
	LOG_INFO,    /* printed with -v, like the warnings of libbpf */
	LOG_DEBUG,   /* printed with -vv, like the other messages of libbpf */
};

/*
 * Sets the level. Messages that are less severe than @level are dropped. The default is
 * LOG_WARNING.
 */
void log__set_level(enum log_level level);
bool log__enabled(enum log_level level);

void log__print(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Prints the message unless this function has printed the same message before. Use this for
 * messages about the machine or the user's privileges, because these messages are the same in all
 * repetitions of -r.
 */
void log__print_once(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Logs "out of memory" and returns -ENOMEM. */
int log__out_of_memory(void);

/*
 * Returns @value, or '' (two quotes) if @value is empty. Use this function to show the argument of
 * an option in a message.
 */
const char *log__value(const char *value);

/*
 * Prints the text at the level LOG_WARNING without the "pstat: " prefix, because scripts match
 * perf's exact output. If log__set_sink() has set a sink, the text is dropped.
 */
void log__plain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the text at the level @level, without a prefix. If log__set_sink() has set a sink, passes
 * texts of the level LOG_ERROR to the sink, and drops all other texts.
 */
void log__plain_at(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Passes messages to @sink instead of printing them to stderr. Messages that are less severe than
 * the current level are still dropped. libpstat-self.a calls this function, because the library
 * prints nothing itself: pstat_self_error() returns the messages. If @sink is NULL, messages are
 * printed to stderr again.
 */
void log__set_sink(void (*sink)(enum log_level level, const char *text));

#define pr_err(...) log__print(LOG_ERROR, __VA_ARGS__)
#define pr_warn(...) log__print(LOG_WARNING, __VA_ARGS__)
#define pr_warn_once(...) log__print_once(LOG_WARNING, __VA_ARGS__)
#define pr_info(...) log__print(LOG_INFO, __VA_ARGS__)
#define pr_debug(...) log__print(LOG_DEBUG, __VA_ARGS__)

#endif
