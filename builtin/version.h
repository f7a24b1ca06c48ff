/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BUILTIN_VERSION_H
#define PSTAT_BUILTIN_VERSION_H

/* Returns the version of pstat, for example "0.1". */
const char *version__number(void);

/*
 * Prints the version of pstat. If @verbose is at least 1, also prints the versions of the libraries
 * that pstat uses. If @verbose is at least 2, also tests which features work on this kernel, and
 * prints the results.
 */
void version__print(int verbose);

/*
 * Runs `perf version`. Called if pstat was started under the name perf. Prints the version of the
 * perf that pstat imitates, with the version of pstat as a suffix. Linux distributions add similar
 * suffixes. With --build-options, also prints which features pstat has, in perf's format. Returns
 * the exit code.
 */
int version__answer_as_perf(int argc, char **argv);

#endif
