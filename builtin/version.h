/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BUILTIN_VERSION_H
#define PSTAT_BUILTIN_VERSION_H

#include <stdbool.h>

/*
 * To stdout: pstat's version; with @verbose 1 the libraries' versions too, with 2 also what this
 * kernel allows, each line found by trying.
 */
void version__print(int verbose);

/*
 * As perf's main() does, -v and -vv without any other word ask for the version: scripts use them to
 * find out whether perf works. Returns true, with the exit code in @code, if the command line was
 * that, and then it has been answered.
 */
bool version__answer_alone(int argc, char **argv, int *code);

/*
 * `perf version` of a pstat that stands in for perf. The version is the one of the perf whose
 * options and output pstat has, and pstat's own is at the end, where the versions of perf in
 * distributions have the distribution's.
 */
int version__answer_as_perf(int argc, char **argv);

#endif
