/* SPDX-License-Identifier: GPL-2.0-only */
/* What pstat prints at the end of a count, and how it exits. */
#ifndef PSTAT_BUILTIN_COUNT_END_H
#define PSTAT_BUILTIN_COUNT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/log.h"

struct exec_loss;
struct session_end;

/*
 * Reports that the command @name could not be executed. Returns the exit code that a shell returns
 * in this case.
 */
int count_end__exec_failed(const char *name, int err);
/* Returns the exit code of a session that failed and has reported the reason. */
int count_end__failed(const struct session_end *end);
/* If the kernel stopped counting the command @name, reports this at @level, followed by @advice. */
void count_end__report_loss(const char *name, const struct exec_loss *loss, const char *advice,
			    enum log_level level);
/* If intervals were missed, prints their number at @level. */
void count_end__report_missed(uint64_t intervals, enum log_level level);
/*
 * Returns the exit code of the command. If signal N killed the command, returns 128 + N, as a shell
 * does, and prints the name of the signal, unless @quiet.
 */
int count_end__command_code(const char *name, const struct session_end *end, bool quiet);
/*
 * Returns the signal that ended the count. Returns 0 if there was none, or if the command ended for
 * another reason.
 */
int count_end__fatal_signal(const struct session_end *end);
/*
 * Ends pstat with the signal, so that the parent process, such as a shell loop, can see the signal.
 */
void count_end__die_of(int sig);

#endif
