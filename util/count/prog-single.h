/* SPDX-License-Identifier: GPL-2.0-only */
/* Which counts of single runs are looked at: for the distribution (--hist), and for a threshold (--outliers). */
#ifndef PSTAT_COUNT_PROG_SINGLE_H
#define PSTAT_COUNT_PROG_SINGLE_H

struct backend_group;
struct prog_shape;
struct stat_config;

/* Before the events are placed: the time of the runs may be wanted, whether or not it is an event. */
void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg);

/* When they are: the words. What an event counts has to be known of each run. 0 or -errno, told. */
int prog_single__place(struct prog_shape *shape, const struct backend_group *group, const struct stat_config *cfg);

#endif
