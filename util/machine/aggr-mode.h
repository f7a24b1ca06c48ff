/* SPDX-License-Identifier: GPL-2.0-only */
/* How the counts of single CPUs and threads are put together into rows. */
#ifndef PSTAT_MACHINE_AGGR_MODE_H
#define PSTAT_MACHINE_AGGR_MODE_H

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

#endif
