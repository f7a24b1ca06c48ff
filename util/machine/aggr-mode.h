/* SPDX-License-Identifier: GPL-2.0-only */
/* How the counts of single CPUs and threads are put together into rows. */
#ifndef PSTAT_MACHINE_AGGR_MODE_H
#define PSTAT_MACHINE_AGGR_MODE_H

#include <stdbool.h>

enum aggr_mode {
	AGGR_GLOBAL, /* all in one row */
	AGGR_NONE,   /* a row per CPU */
	AGGR_SOCKET,
	AGGR_DIE,
	AGGR_CLUSTER,
	AGGR_CACHE,
	AGGR_CORE,
	AGGR_NODE,
	AGGR_THREAD, /* a row per thread */
	AGGR_MODE_NR
};

/* Does a row tell on which CPUs it was counted? */
static inline bool aggr_mode__is_by_cpu(enum aggr_mode mode)
{
	return mode != AGGR_GLOBAL && mode != AGGR_THREAD;
}

/* Is a row of this mode the sum of the CPUs that have something in common, and tells how many these are? */
static inline bool aggr_mode__adds_cpus_up(enum aggr_mode mode)
{
	return aggr_mode__is_by_cpu(mode) && mode != AGGR_NONE;
}

#endif
