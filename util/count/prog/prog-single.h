/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is looked at of single runs: for the distribution (--hist) a count, for --outliers one to be
 * compared, and packets.
 */
#ifndef PSTAT_COUNT_PROG_SINGLE_H
#define PSTAT_COUNT_PROG_SINGLE_H

#include <stdbool.h>

struct backend_group;
struct prog_kernel;
struct prog_list;
struct prog_shape;
struct stat_config;

/*
 * Called before the events are placed, because the duration of runs may be needed even if it is not
 * an event.
 */
void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg);

/* When they are: the words. What an event counts has to be known of each run. */
int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg);

/*
 * With packets: warns of targets whose type has packets that cannot be got at, as their BTF or
 * @kernel does not allow it. Fails when not one of @list can give any, unless more may come
 * (@more).
 */
int prog_single__check_packets(const struct prog_kernel *kernel, const struct prog_list *list,
			       bool more);

#endif
