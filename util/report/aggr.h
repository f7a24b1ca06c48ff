/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aggregates: sets of CPUs whose counts are added up. The aggregation mode defines these sets. In
 * AGGR_SOCKET, for example, the CPUs of each socket form an aggregate.
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
 * Maps CPUs to aggregates. `ids` contains an id for each aggregate. In AGGR_NONE, each CPU is an
 * aggregate, and `ids` is in the order of the CPUs that were passed to aggr_map__new(). In other
 * modes, `ids` is sorted by node, socket, die, cluster, cache and core. In all modes, aggregates
 * that aggr_map__add_cpu() adds come last. AGGR_GLOBAL and AGGR_THREAD have a single aggregate.
 *
 * An event has a count for each subject (subjects.h) and each aggregate in `ids`. The table of
 * these counts contains all counts of the first subject, then all counts of the second subject, and
 * so on (see aggr__grow_table()).
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
 * be NULL for AGGR_GLOBAL and AGGR_THREAD, and for AGGR_NONE without percore events. For
 * AGGR_CACHE, @topology must include the caches. Returns NULL if memory ran out.
 */
struct aggr_map *aggr_map__new(enum aggr_mode mode, const struct cpumap *cpus,
			       const struct topology *topology);
/*
 * Adds a CPU that has come online. @topology must contain the CPU. If the CPU belongs to none of
 * the existing aggregates, adds an aggregate. Returns 0 or -ENOMEM.
 */
int aggr_map__add_cpu(struct aggr_map *map, int cpu, const struct topology *topology);
void aggr_map__free(struct aggr_map *map);

/* Returns the number of subjects, or 1 if map->subjects is NULL. */
int aggr_map__nr_subjects(const struct aggr_map *map);

/*
 * Returns the index in a table [subject][aggregate] of the element for a subject and the aggregate
 * of a CPU, or -1 if the CPU has no aggregate or map->subjects does not contain the subject. @cpu
 * is a CPU id. If it is -1, as in the counts of tasks or of an event that pstat measures itself,
 * the subject's first aggregate is used. @column is the index of the subject, which is also the
 * subject's column in struct counts. @column is ignored if map->subjects is NULL.
 */
int aggr_map__find(const struct aggr_map *map, int cpu, int column);

/*
 * Returns the index in map->ids of the aggregate that contains @cpu, or -1. A CPU that was not
 * requested can also belong to an aggregate, for example if a requested CPU is in the same socket.
 * @topology must be the topology that was passed to aggr_map__new(). Always returns -1 for
 * AGGR_THREAD.
 */
int aggr_map__find_place(const struct aggr_map *map, int cpu, const struct topology *topology);

/* ---- tables [event][subject][aggregate], which grow with subjects and aggregates ---- */

/* The number of subjects, and the number of aggregates of each subject. */
struct aggr_shape {
	int subjects, aggrs;
};

/*
 * Returns a table of @events events with the shape @to. The table contains the elements of @old, a
 * table with the shape @from. Each element is @size bytes long, and new elements are zero. Frees
 * @old, which may be NULL. If memory ran out, returns NULL and does not free @old.
 */
void *aggr__grow_table(void *old, size_t size, int events, const struct aggr_shape *from,
		       const struct aggr_shape *to);

/*
 * Stores @bigger in the pointer to which @table points, unless @bigger is NULL. Returns false if
 * @bigger is NULL.
 */
bool aggr__replace_table(void *table, void *bigger);

/* Grows the table *@table to the shape @to. Returns false if memory ran out. */
#define aggr_table__grow(table, events, from, to) \
	aggr__replace_table(table, aggr__grow_table(*(table), sizeof(**(table)), events, from, to))

#endif
