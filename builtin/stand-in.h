/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets pstat run under the name perf, so that scripts that call `perf stat` can use pstat without
 * changes. pstat itself runs the commands stat, list, version and help. It executes the next
 * program called perf in PATH for all other commands and for help with them, for `stat record` and
 * `stat report`, and for options such as --exec-path and --list-cmds.
 */
#ifndef PSTAT_BUILTIN_STAND_IN_H
#define PSTAT_BUILTIN_STAND_IN_H

/*
 * Reads the command line as perf does, and runs the command. Returns the exit code. Does not return
 * if another perf replaces this process.
 */
int stand_in__run(int argc, char **argv);

#endif
