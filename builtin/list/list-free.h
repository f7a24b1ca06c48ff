/* SPDX-License-Identifier: GPL-2.0-only */
/* pstat list --free: the counters that are free now, and the processes that hold perf events. */
#ifndef PSTAT_BUILTIN_LIST_FREE_H
#define PSTAT_BUILTIN_LIST_FREE_H

#include <stdio.h>

struct list_options;

/* Returns 0 or an exit code after reporting an error. */
int list_free(const struct list_options *options, FILE *file);

#endif
