/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modes of aggregation, which determine the CPUs or threads whose counts are added up in one row.
 */
#ifndef PSTAT_MACHINE_AGGR_MODE_H
#define PSTAT_MACHINE_AGGR_MODE_H

#include <stdbool.h>

enum aggr_mode {
	AGGR_GLOBAL, /* one row for all CPUs and threads */
	AGGR_NONE,   /* one row per CPU */
	AGGR_SOCKET,
	AGGR_DIE,
	AGGR_CLUSTER,
	AGGR_CACHE,
	AGGR_CORE,
	AGGR_NODE,
	AGGR_THREAD, /* one row per thread */
	AGGR_MODE_NR
};

/* Returns whether each row of this mode is for one CPU or for a group of CPUs, such as a core. */
static inline bool aggr_mode__is_by_cpu(enum aggr_mode mode)
{
	return mode != AGGR_GLOBAL && mode != AGGR_THREAD;
}

/*
 * Returns whether each row of this mode is for a group of CPUs, such as a core. Such a row also
 * shows the number of CPUs whose counts it adds up.
 */
static inline bool aggr_mode__adds_cpus_up(enum aggr_mode mode)
{
	return aggr_mode__is_by_cpu(mode) && mode != AGGR_NONE;
}

#endif
