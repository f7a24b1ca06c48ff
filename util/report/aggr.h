/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aggregates: sets of readings that are added up. A mode defines a list of aggregates, and each CPU
 * or thread belongs to one of them.
 */
#ifndef PSTAT_REPORT_AGGR_H
#define PSTAT_REPORT_AGGR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/machine/cpu/aggr-mode.h"
#include "util/report/stat_row.h"

struct cpumap;
struct subjects;
struct topology;

/*
 * `ids` are sorted by node, socket, die, cluster, cache and core. CPUs are in the given order.
 * AGGR_THREAD has a single aggregate, as AGGR_GLOBAL has, because threads are subjects. If there
 * are subjects, each of them has all these aggregates. Tables contain the aggregates of the first
 * subject, then those of the second, and so on (aggr__grow_table).
 */
struct aggr_map {
	enum aggr_mode mode;
	int nr; /* number of aggregates of each subject */
	struct aggr_id *ids;
	const struct subjects *subjects; /* subjects of the latest counts; NULL: none */
	int nr_cpus;			 /* of_cpu has room for the CPU ids below this number */
	int *of_cpu;			 /* [CPU id]: index in ids, or -1 */
};

/*
 * Makes the aggregates of @cpus, the CPUs that the user requested ({-1} for tasks). @topology may
 * be NULL for AGGR_GLOBAL and AGGR_THREAD, and for AGGR_NONE without percore events. It must
 * include the cache for AGGR_CACHE. Returns NULL if memory ran out.
 */
struct aggr_map *aggr_map__new(enum aggr_mode mode, const struct cpumap *cpus,
			       const struct topology *topology);
/*
 * Call this after @cpu came online and @topology contains it. Adds an aggregate if no existing one
 * contains the CPU. Returns 0 or -ENOMEM.
 */
int aggr_map__add_cpu(struct aggr_map *map, int cpu, const struct topology *topology);
void aggr_map__free(struct aggr_map *map);

/* Returns the number of subjects, or 1 without subjects. */
int aggr_map__nr_subjects(const struct aggr_map *map);

/*
 * Returns the index in a table for a reading of @cpu (an id) and @column (of the counts), or -1. A
 * reading without a CPU (-1: a tool event) belongs to the first aggregate of its subject.
 */
int aggr_map__find(const struct aggr_map *map, int cpu, int column);

/*
 * Returns the index of the aggregate that contains @cpu within one subject, or -1. The user need
 * not have requested @cpu: it may be in the same socket or core as a requested CPU. @topology is
 * the same as for aggr_map__new(). Always returns -1 for AGGR_THREAD.
 */
int aggr_map__find_place(const struct aggr_map *map, int cpu, const struct topology *topology);

/* ---- tables [event][subject][aggregate], which grow with subjects and aggregates ---- */

/* The number of subjects, and of the aggregates of each subject. */
struct aggr_shape {
	int subjects, aggrs;
};

/*
 * Returns a table of the shape @to whose elements have @size bytes. It contains the elements of the
 * table @old, which has the shape @from. @old, which may be NULL, is freed. New elements are zero.
 * If memory ran out, returns NULL and does not free @old.
 */
void *aggr__grow_table(void *old, size_t size, int events, const struct aggr_shape *from,
		       const struct aggr_shape *to);

/* If @bigger is not NULL, stores it in the pointer at @table. Returns whether it is not NULL. */
bool aggr__replace_table(void *table, void *bigger);

/* Grows the table at @table. Returns false if memory ran out. */
#define aggr_table__grow(table, events, from, to) \
	aggr__replace_table(table, aggr__grow_table(*(table), sizeof(**(table)), events, from, to))

#endif
