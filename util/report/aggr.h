/* SPDX-License-Identifier: GPL-2.0-only */
/* Which readings are added up: a mode makes a list of aggregates, and each CPU (or thread) belongs to one of them. */
#ifndef PSTAT_REPORT_AGGR_H
#define PSTAT_REPORT_AGGR_H

#include <stdbool.h>

#include "util/machine/aggr-mode.h"
#include "util/report/stat_row.h"

struct cpumap;
struct prog_rows;
struct topology;

/* A column of the counts in AGGR_THREAD. */
struct aggr_thread {
	int tid;
	const char *comm;
};

/*
 * `ids` stand as they are printed: by node, socket, die, cluster, cache and core; CPUs and threads as they were given. Where
 * programs are told apart, all of these are there once for each program, the columns of the counts: ids[program][aggregate].
 */
struct aggr_map {
	enum aggr_mode mode;
	int nr;
	struct aggr_id *ids;
	bool by_prog;
	int nr_progs;		 /* 1 when they are not told apart */
	int nr_per_prog;	 /* nr = nr_progs × nr_per_prog */
	char **prog_names;	 /* by_prog: what the ids' prog points at */
	struct aggr_id *of_each; /* by_prog: the aggregates that each program has */
	int nr_cpus;		 /* CPU ids below this are in the table */
	int *of_cpu;		 /* CPU id → place in ids, -1: none */
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
 * contains the CPU. No aggregate can be added if the output shows each program separately. Returns 0, -ENOMEM or
 * -EOPNOTSUPP.
 */
int aggr_map__add_cpu(struct aggr_map *map, int cpu, const struct topology *topology);
void aggr_map__free(struct aggr_map *map);

/* From now on programs are told apart, of which there are none yet. Not for AGGR_THREAD. 0 or -ENOMEM. */
int aggr_map__tell_progs_apart(struct aggr_map *map);
/* Programs are @rows now: those that are new get their places behind the others. 0 or -ENOMEM. */
int aggr_map__set_progs(struct aggr_map *map, const struct prog_rows *rows);

/*
 * The place in ids that a reading of @cpu (an id) and @thread (an index, of a program too) belongs to, or -1. A reading of no
 * CPU (-1: a tool event) belongs to the first aggregate.
 */
int aggr_map__find(const struct aggr_map *map, int cpu, int thread);

/*
 * Returns the index of the aggregate, among those of one program, that contains @cpu, or -1. The
 * user need not have asked for @cpu: it may share a socket or core with a CPU that the user asked
 * for. @topology is the one given to aggr_map__new(). Always -1 for AGGR_THREAD.
 */
int aggr_map__find_place(const struct aggr_map *map, int cpu, const struct topology *topology);

#endif
