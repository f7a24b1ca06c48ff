/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done around each run: --pre, --post and --sync. */
#ifndef PSTAT_BUILTIN_STAT_HOOKS_H
#define PSTAT_BUILTIN_STAT_HOOKS_H

#include <signal.h>

struct stat_options;

/* A hook gets the signal mask @mask. 0; -ECANCELED when it did not end well, told. */
int stat_hooks__before(const struct stat_options *options, const sigset_t *mask);
int stat_hooks__after(const struct stat_options *options, const sigset_t *mask);

#endif
