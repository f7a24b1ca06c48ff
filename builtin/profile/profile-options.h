/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `pstat profile`. Targets, events and times are words of `pstat stat` too, and settled by the same functions. */
#ifndef PSTAT_BUILTIN_PROFILE_OPTIONS_H
#define PSTAT_BUILTIN_PROFILE_OPTIONS_H

#include <stdbool.h>

#include "builtin/stat/stat-options.h"
#include "util/count/profile/profile.h"

/* Made by profile_options__parse() and const from then on, but for the profile that is filled. */
struct profile_options {
	struct stat_options stat; /* its count.sampling is: */
	struct sampling sampling;
	struct profile profile; /* sampling.profile */
	bool annotate;
	bool folded;	  /* stack by stack */
	bool lines;	  /* source lines of users' programs */
	char *debug_dirs; /* of --debug-dir and the usual one; owned */
};

/* 0 and @options; else the exit code, told. */
int profile_options__parse(int argc, char **argv, struct profile_options *options);
void profile_options__free(struct profile_options *options);

#endif
