/* SPDX-License-Identifier: GPL-2.0-only */
/* The actions before and after each repetition: --pre, --post and --sync. */
#ifndef PSTAT_BUILTIN_STAT_HOOKS_H
#define PSTAT_BUILTIN_STAT_HOOKS_H

#include <signal.h>

struct stat_options;

/*
 * A hook gets the signal mask @mask. If it fails, the reason is logged. stat_hooks__before() then
 * returns -ECANCELED, otherwise 0.
 */
int stat_hooks__before(const struct stat_options *options, const sigset_t *mask);
void stat_hooks__after(const struct stat_options *options, const sigset_t *mask);

#endif
