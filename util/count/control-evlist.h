/* SPDX-License-Identifier: GPL-2.0-only */
/* The command evlist of --control. */
#ifndef PSTAT_COUNT_CONTROL_EVLIST_H
#define PSTAT_COUNT_CONTROL_EVLIST_H

struct evlist;
struct stat_config;

/*
 * Prints the events in perf's form. @option is -v for the fields of their attrs that are not 0, -g
 * for groups, or -F for the sample frequency.
 */
void control_evlist__tell(const struct evlist *evlist, const struct stat_config *cfg,
			  const char *option);

#endif
