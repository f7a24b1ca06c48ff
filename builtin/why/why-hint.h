/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * After a session in which the kernel refused an event or a BPF program, prints a hint on how to
 * find out why.
 */
#ifndef PSTAT_BUILTIN_WHY_HINT_H
#define PSTAT_BUILTIN_WHY_HINT_H

#include "util/base/log.h"

struct stat_options;

/* The command line of the session. */
struct why_hint {
	const char *command; /* "profile" or "export"; NULL for `pstat stat` */
	int argc;
	char *const *argv; /* argv[0], the name of the command, is not used */
	const struct stat_options *options;
};

/*
 * Prints the hint at @level: the command line of `pstat why` that the user should run. With -vv,
 * prints the output of this command line at LOG_DEBUG instead. The session must have closed its
 * events. Does nothing under the name perf, with --quiet, or if the command line contains control
 * characters.
 */
void why_hint__print(const struct why_hint *hint, enum log_level level);

/*
 * Returns the level of the hint for a session that prints rows of counts. The hint contains names
 * of events. Many scripts assume that every line of stderr with such a name is a row. Therefore, if
 * stderr is not a terminal, pstat prints the hint only with -v.
 */
enum log_level why_hint__level_beside_rows(void);

#endif
