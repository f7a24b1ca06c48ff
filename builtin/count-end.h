/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints messages at the end of a session, and determines the exit code of pstat. */
#ifndef PSTAT_BUILTIN_COUNT_END_H
#define PSTAT_BUILTIN_COUNT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/log.h"

struct exec_loss;
struct session_end;

/*
 * Reports that the command @name could not be executed because of @err, a negative errno. Returns
 * the exit code that a shell would return.
 */
int count_end__exec_failed(const char *name, int err);
/*
 * Returns the exit code of pstat for a session that failed. The session has already reported the
 * reason.
 */
int count_end__failed(const struct session_end *end);
/*
 * If @loss shows that the kernel stopped counting the command @name, reports this and @advice at
 * @level.
 */
void count_end__report_loss(const char *name, const struct exec_loss *loss, const char *advice,
			    enum log_level level);
/*
 * @intervals is the number of missed intervals (session_end.missed_intervals). If it is not 0,
 * reports it at @level.
 */
void count_end__report_missed(uint64_t intervals, enum log_level level);
/*
 * Returns the exit code of the command or, as a shell does, 128 + N if signal N killed the command.
 * If a signal killed the command and @quiet is false, also prints @name and a description of the
 * signal (psignal(3)). Returns 0 if the command has not ended, or if pstat ended the command with
 * SIGTERM because of --timeout or the command `stop` of --control.
 */
int count_end__command_code(const char *name, const struct session_end *end, bool quiet);
/*
 * Returns the last signal that arrived during the session, or 0 if none arrived. Also returns 0 if
 * the command has ended but was not killed by this signal.
 */
int count_end__fatal_signal(const struct session_end *end);
/*
 * Kills pstat with the signal @sig, so that the parent process learns about the signal. For
 * example, a shell that runs pstat in a loop then ends the loop.
 */
void count_end__die_of(int sig);

#endif
