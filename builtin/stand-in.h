/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pstat under the name perf: scripts that call `perf stat` use pstat without changes. pstat runs
 * the commands stat, list, version and help. The next perf in PATH, if there is one, runs all
 * others.
 */
#ifndef PSTAT_BUILTIN_STAND_IN_H
#define PSTAT_BUILTIN_STAND_IN_H

/*
 * Reads the command line as perf does, and runs the command. Returns the exit code. If another perf
 * runs the command, it replaces this process, and the function does not return.
 */
int stand_in__run(int argc, char **argv);

#endif
