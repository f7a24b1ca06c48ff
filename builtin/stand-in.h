/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pstat under the name perf: scripts that call `perf stat` then count with pstat, unchanged. The
 * commands stat, list, version and help are pstat's; all others are run by the next perf in PATH,
 * which need not be installed.
 */
#ifndef PSTAT_BUILTIN_STAND_IN_H
#define PSTAT_BUILTIN_STAND_IN_H

#include <stdbool.h>

/*
 * True if pstat was started under the name perf, for example through a link of that name. @argv0
 * may be NULL.
 */
bool stand_in__is_perf(const char *argv0);

/*
 * Reads the command line as perf does and runs the command. Returns the exit code, and does not
 * return from another perf.
 */
int stand_in__run(int argc, char **argv);

#endif
