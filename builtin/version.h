/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BUILTIN_VERSION_H
#define PSTAT_BUILTIN_VERSION_H

#include <stdbool.h>

/*
 * Prints the version of pstat. With @verbose 1, also prints the versions of the libraries; with 2,
 * also tests and prints what this kernel allows.
 */
void version__print(int verbose);

/*
 * Like perf, answers -v and -vv without any other word by printing the version: scripts use this to
 * find out whether perf works. Returns true, with the exit code in *@code, if this was the command
 * line, and false if nothing was done.
 */
bool version__answer_alone(int argc, char **argv, int *code);

/*
 * `perf version` when pstat runs under the name perf. Prints the version of the perf that pstat
 * imitates, followed by pstat's own version, in the place where distributions put theirs. Returns
 * the exit code.
 */
int version__answer_as_perf(int argc, char **argv);

#endif
