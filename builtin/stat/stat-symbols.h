/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program's symbols mem:SYMBOL means, by what is counted. */
#ifndef PSTAT_BUILTIN_STAT_SYMBOLS_H
#define PSTAT_BUILTIN_STAT_SYMBOLS_H

#include <limits.h>

#include "util/event/parse-events.h"

struct stat_config;

struct stat_symbols {
	struct symbol_source source;
	char file[PATH_MAX];
};

/* Of the command, found as execvp(3) finds it, or of the one process. source.why_not says why there is none. */
void stat_symbols__find(struct stat_symbols *symbols, const struct stat_config *cfg);

#endif
