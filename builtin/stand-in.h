/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pstat under the name perf, so that unchanged scripts that call `perf stat` count with pstat. The
 * commands stat, list, version and help are pstat's. All others are run by the next perf in PATH,
 * if one is installed.
 */
#ifndef PSTAT_BUILTIN_STAND_IN_H
#define PSTAT_BUILTIN_STAND_IN_H

/*
 * Reads the command line as perf does and runs the command. Returns the exit code. If another perf
 * runs the command, it replaces this process and the function does not return.
 */
int stand_in__run(int argc, char **argv);

#endif
