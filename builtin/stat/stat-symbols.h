/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the program that contains the symbols of events such as mem:SYMBOL. */
#ifndef PSTAT_BUILTIN_STAT_SYMBOLS_H
#define PSTAT_BUILTIN_STAT_SYMBOLS_H

#include <limits.h>

#include "util/event/parse-events.h"

struct stat_config;

struct stat_symbols {
	struct symbol_source source;
	char file[PATH_MAX];
};

/*
 * Finds the program: the command, as execvp(3) finds it, or the program of the only counted
 * process. If there is no such program, source.why_not is the reason.
 */
void stat_symbols__find(struct stat_symbols *symbols, const struct stat_config *cfg);

#endif
