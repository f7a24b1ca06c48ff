/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of `pstat profile`. `pstat stat` has the same options for targets, events and
 * times, and the same functions check and complete them.
 */
#ifndef PSTAT_BUILTIN_PROFILE_OPTIONS_H
#define PSTAT_BUILTIN_PROFILE_OPTIONS_H

#include <stdbool.h>

#include "builtin/stat/stat-options.h"
#include "util/count/profile/profile.h"

/* Filled by profile_options__parse(); const afterwards. */
struct profile_options {
	struct stat_options stat; /* its member count.sampling points to the next member */
	struct sampling sampling;
	bool annotate;
	bool folded;	  /* print stacks */
	bool lines;	  /* print source lines of user programs */
	bool raw_names;	  /* do not demangle names */
	bool no_inlined;  /* do not look for inlined functions */
	char *debug_dirs; /* the directories of --debug-dir and the default directories; owned */
};

/* Returns 0 and fills @options, or returns the exit code after reporting an error. */
int profile_options__parse(int argc, char **argv, struct profile_options *options);
void profile_options__free(struct profile_options *options);

#endif
