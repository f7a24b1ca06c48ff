/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of `pstat profile`. The options for targets, events, intervals and time limits
 * are the same as in `pstat stat`. The functions of `pstat stat` (stat-raw.h) check them and find
 * the tasks, CPUs, programs and events that the options name.
 */
#ifndef PSTAT_BUILTIN_PROFILE_OPTIONS_H
#define PSTAT_BUILTIN_PROFILE_OPTIONS_H

#include <stdbool.h>

#include "builtin/stat/stat-options.h"
#include "util/count/profile/profile.h"

/* profile_options__parse() fills in this struct, and nothing changes it afterwards. */
struct profile_options {
	struct stat_options stat;
	struct sampling sampling; /* stat.count.sampling points to this member */
	bool annotate;
	bool folded;	  /* print stacks for flame graphs */
	bool lines;	  /* print source lines of user programs */
	bool raw_names;	  /* do not demangle names */
	bool no_inlined;  /* do not look for inlined functions */
	char *debug_dirs; /* the directories of --debug-dir and the default directories; owned */
};

/*
 * Returns 0, or the exit code after reporting an error. In both cases, the caller must call
 * profile_options__free().
 */
int profile_options__parse(int argc, char **argv, struct profile_options *options);
void profile_options__free(struct profile_options *options);

#endif
