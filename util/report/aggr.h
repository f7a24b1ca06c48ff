/* SPDX-License-Identifier: GPL-2.0-only */
/* Which readings are added up: a mode makes a list of aggregates, and each CPU (or thread) belongs to one of them. */
#ifndef PSTAT_REPORT_AGGR_H
#define PSTAT_REPORT_AGGR_H

#include "util/machine/aggr-mode.h"
#include "util/report/stat_row.h"

struct cpumap;
struct topology;

/* A column of the counts in AGGR_THREAD. */
struct aggr_thread {
	int tid;
	const char *comm;
};

/* `ids` stand as they are printed: by node, socket, die, cluster, cache and core; CPUs and threads as they were given. */
struct aggr_map {
	enum aggr_mode mode;
	int nr;
	struct aggr_id *ids;
	int nr_cpus; /* CPU ids below this are in the table */
	int *of_cpu; /* CPU id → place in ids, -1: none */
};

/*
 * The aggregates of @cpus, the CPUs that the command asked for ({-1} for tasks). @topology may be NULL for AGGR_GLOBAL,
 * and for AGGR_NONE without percore events; it has to know the cache for AGGR_CACHE. Not for AGGR_THREAD.
 * NULL without memory.
 */
struct aggr_map *aggr_map__new(enum aggr_mode mode, const struct cpumap *cpus, const struct topology *topology);
/* The aggregates of AGGR_THREAD. NULL without memory. */
struct aggr_map *aggr_map__of_threads(const struct aggr_thread *threads, int nr);
void aggr_map__free(struct aggr_map *map);

/*
 * The place in ids that a reading of @cpu (an id) and @thread (an index) belongs to, or -1. A reading of no CPU (-1: a
 * tool event) belongs to the first aggregate.
 */
int aggr_map__find(const struct aggr_map *map, int cpu, int thread);

#endif
