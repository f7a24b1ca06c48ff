/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told at the end of a count, and what it means for the exit of pstat. */
#ifndef PSTAT_BUILTIN_COUNT_END_H
#define PSTAT_BUILTIN_COUNT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/log.h"

struct exec_loss;
struct session_end;

/* Tells that the command @name could not be executed, and returns the exit code that a shell has for that. */
int count_end__exec_failed(const char *name, int err);
/* The exit code of a session that failed, and has told why. */
int count_end__failed(const struct session_end *end);
/* If the kernel stopped counting the command @name, prints that at @level, followed by @advice. */
void count_end__tell_loss(const char *name, const struct exec_loss *loss, const char *advice, enum log_level level);
/* Tells at @level that so many intervals were missed, if any were. */
void count_end__tell_missed(uint64_t intervals, enum log_level level);
/* The command's own exit code, and as a shell has it 128 + N for one that signal N ended. */
int count_end__command_code(const char *name, const struct session_end *end, bool quiet);
/* The signal that ended the count, or that ended the command as well: a shell's loop around both ends by it. */
int count_end__fatal_signal(const struct session_end *end);
/* Whoever started us is told by the same signal that it was a signal that ended the count. */
void count_end__die_of(int sig);

#endif
