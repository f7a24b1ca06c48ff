/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages below the rows: why events were not counted. */
#ifndef PSTAT_BUILTIN_STAT_REASONS_H
#define PSTAT_BUILTIN_STAT_REASONS_H

#include "util/base/log.h"

struct measurement;
struct stat_options;

/*
 * Prints each reason once, with the events that it applies to, if events of @m could not be
 * opened. If at least one event could be opened, it prints nothing with -v, which has printed the
 * reasons before the rows, and nothing under the name perf.
 */
void stat_reasons__print(const struct stat_options *options, const struct measurement *m,
			 enum log_level level);

#endif
