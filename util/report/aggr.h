/* SPDX-License-Identifier: GPL-2.0-only */
/* Which readings are added up: a mode makes a list of aggregates, and each CPU (or thread) belongs to one of them. */
#ifndef PSTAT_REPORT_AGGR_H
#define PSTAT_REPORT_AGGR_H

#include <stdbool.h>

#include "util/machine/aggr-mode.h"
#include "util/report/stat_row.h"

struct cpumap;
struct subjects;
struct topology;

/* A column of the counts in AGGR_THREAD. */
struct aggr_thread {
	int tid;
	const char *comm;
};

/*
 * `ids` are in the order of printing: by node, socket, die, cluster, cache and core. CPUs and threads are in the order in which
 * they were given. If subjects are told apart, each of them has all these aggregates. Tables have the aggregates of the first
 * subject, then those of the second one, and so on (aggr-table.h).
 */
struct aggr_map {
	enum aggr_mode mode;
	int nr; /* of each subject */
	struct aggr_id *ids;
	const struct subjects *subjects; /* those of the counts that came last; NULL: none are told apart */
	int nr_cpus;			 /* CPU ids below this are in the table */
	int *of_cpu;			 /* CPU id → place in ids, -1: none */
};

/*
 * The aggregates of @cpus, the CPUs that the command asked for ({-1} for tasks). @topology may be NULL for AGGR_GLOBAL,
 * and for AGGR_NONE without percore events; it has to know the cache for AGGR_CACHE. Not for AGGR_THREAD.
 * NULL without memory.
 */
struct aggr_map *aggr_map__new(enum aggr_mode mode, const struct cpumap *cpus, const struct topology *topology);
/* The aggregates of AGGR_THREAD. NULL without memory. */
struct aggr_map *aggr_map__of_threads(const struct aggr_thread *threads, int nr);
/*
 * Call this after @cpu came online and @topology contains it. Appends an aggregate if none of the existing ones
 * contains the CPU. Returns 0 or -ENOMEM.
 */
int aggr_map__add_cpu(struct aggr_map *map, int cpu, const struct topology *topology);
void aggr_map__free(struct aggr_map *map);

/* Returns the number of subjects, which is 1 if none are told apart. */
int aggr_map__nr_subjects(const struct aggr_map *map);

/*
 * Returns the place in a table to which a reading of @cpu (an id) and @column (an index in the counts) belongs, or -1. A reading
 * of no CPU (-1: a tool event) belongs to the first aggregate of its subject.
 */
int aggr_map__find(const struct aggr_map *map, int cpu, int column);

/*
 * Returns the index of the aggregate, among those of one subject, that contains @cpu, or -1. The
 * user need not have asked for @cpu: it may share a socket or core with a CPU that the user asked
 * for. @topology is the one given to aggr_map__new(). Always -1 for AGGR_THREAD.
 */
int aggr_map__find_place(const struct aggr_map *map, int cpu, const struct topology *topology);

#endif
