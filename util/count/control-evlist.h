/* SPDX-License-Identifier: GPL-2.0-only */
/* The command evlist of --control. */
#ifndef PSTAT_COUNT_CONTROL_EVLIST_H
#define PSTAT_COUNT_CONTROL_EVLIST_H

struct evlist;
struct stat_config;

/*
 * Tells the events as perf does: with @option -v the fields of their attrs that are not 0, -g as groups, -F how often they are sampled (not of
 * pstat profile).
 */
void control_evlist__tell(const struct evlist *evlist, const struct stat_config *cfg, const char *option);

#endif
