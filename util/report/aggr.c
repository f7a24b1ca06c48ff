// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/aggr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/subjects.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/cpu/topology.h"

/*
 * The lowest level that the ids of an aggregation mode contain, in the hierarchy socket → die →
 * cluster → core.
 */
enum depth {
	DEPTH_NONE,
	DEPTH_SOCKET,
	DEPTH_DIE,
	DEPTH_CLUSTER,
	DEPTH_CORE,
};

static const enum depth depths[AGGR_MODE_NR] = {
	[AGGR_NONE] = DEPTH_CORE, [AGGR_SOCKET] = DEPTH_SOCKET,	  [AGGR_DIE] = DEPTH_DIE,
	[AGGR_CACHE] = DEPTH_DIE, [AGGR_CLUSTER] = DEPTH_CLUSTER, [AGGR_CORE] = DEPTH_CORE,
};

static const struct aggr_id no_id = {
	.node = -1,
	.socket = -1,
	.die = -1,
	.cluster = -1,
	.cache = -1,
	.core = -1,
	.cpu = -1,
	.tid = -1,
};

static struct aggr_id id_of_cpu(enum aggr_mode mode, int cpu, const struct topology *topology)
{
	const struct cpu_place *place = topology ? topology__place(topology, cpu) : NULL;
	struct aggr_id id = no_id;

	id.mode = mode;
	if (mode == AGGR_NONE)
		id.cpu = cpu;
	if (!place)
		return id;
	if (depths[mode] >= DEPTH_SOCKET)
		id.socket = place->socket;
	if (depths[mode] >= DEPTH_DIE)
		id.die = place->die;
	if (depths[mode] >= DEPTH_CLUSTER)
		id.cluster = place->cluster;
	if (depths[mode] >= DEPTH_CORE)
		id.core = place->core;
	if (mode == AGGR_NODE)
		id.node = place->node;
	if (mode == AGGR_CACHE) {
		id.cache_level = place->cache_level;
		id.cache = place->cache;
	}
	return id;
}

static int compare(const void *left, const void *right)
{
	const struct aggr_id *a = left, *b = right;
	const int steps[] = {
		a->node - b->node,
		a->socket - b->socket,
		a->die - b->die,
		a->cluster - b->cluster,
		a->cache_level - b->cache_level,
		a->cache - b->cache,
		a->core - b->core,
		a->cpu - b->cpu,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i])
			return steps[i];
	return 0;
}

static struct aggr_map *aggr_map__alloc(enum aggr_mode mode, int nr, int nr_cpus)
{
	struct aggr_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->mode = mode;
	map->ids = calloc((size_t)nr + 1, sizeof(*map->ids));
	map->nr_cpus = nr_cpus;
	map->of_cpu = malloc(sizeof(*map->of_cpu) * ((size_t)nr_cpus + 1));
	if (!map->ids || !map->of_cpu) {
		aggr_map__free(map);
		return NULL;
	}
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		map->of_cpu[cpu] = -1;
	return map;
}

static int unique(struct aggr_id *ids, int nr)
{
	int kept = 0;

	for (int i = 0; i < nr; i++)
		if (!kept || compare(&ids[kept - 1], &ids[i]))
			ids[kept++] = ids[i];
	return kept;
}

/* Makes a map with a single aggregate, which contains all CPUs. */
static struct aggr_map *aggr_map__single(enum aggr_mode mode)
{
	struct aggr_map *map = aggr_map__alloc(mode, 1, 0);

	if (map) {
		map->ids[0] = no_id;
		map->ids[0].mode = mode;
		map->nr = 1;
	}
	return map;
}

struct aggr_map *aggr_map__new(enum aggr_mode mode, const struct cpumap *cpus,
			       const struct topology *topology)
{
	struct aggr_map *map;

	if (!aggr_mode__is_by_cpu(mode))
		return aggr_map__single(mode);
	map = aggr_map__alloc(mode, cpus->nr, cpumap__last(cpus) + 1);
	if (!map)
		return NULL;
	for (int i = 0; i < cpus->nr; i++)
		map->ids[i] = id_of_cpu(mode, cpus->ids[i], topology);
	map->nr = cpus->nr;
	if (mode != AGGR_NONE) {
		qsort(map->ids, (size_t)map->nr, sizeof(*map->ids), compare);
		map->nr = unique(map->ids, map->nr);
	}
	for (int i = 0; i < cpus->nr; i++) {
		struct aggr_id id = id_of_cpu(mode, cpus->ids[i], topology);
		struct aggr_id *found;

		if (cpus->ids[i] < 0)
			continue;
		found = mode == AGGR_NONE ?
				&map->ids[i] :
				bsearch(&id, map->ids, (size_t)map->nr, sizeof(id), compare);
		map->of_cpu[cpus->ids[i]] = (int)(found - map->ids);
	}
	return map;
}

static int make_room_for_cpu(struct aggr_map *map, int cpu)
{
	int *of_cpu = cpu < map->nr_cpus ?
			      map->of_cpu :
			      realloc(map->of_cpu, sizeof(*of_cpu) * ((size_t)cpu + 1));
	struct aggr_id *ids;

	if (!of_cpu)
		return -ENOMEM;
	map->of_cpu = of_cpu;
	for (; map->nr_cpus <= cpu; map->nr_cpus++)
		of_cpu[map->nr_cpus] = -1;
	ids = realloc(map->ids, sizeof(*ids) * ((size_t)map->nr + 2));
	if (!ids)
		return -ENOMEM;
	map->ids = ids;
	return 0;
}

/*
 * Returns whether @place is the aggregate that @id identifies. In AGGR_NONE, compares only the CPU
 * ids: @place may have been filled while the CPU was offline, when its socket, die and core were
 * unknown.
 */
static bool is_place_of(const struct aggr_id *place, const struct aggr_id *id)
{
	return id->cpu >= 0 ? place->cpu == id->cpu : !compare(place, id);
}

int aggr_map__add_cpu(struct aggr_map *map, int cpu, const struct topology *topology)
{
	struct aggr_id id = id_of_cpu(map->mode, cpu, topology);
	int place = 0, err;

	if (!aggr_mode__is_by_cpu(map->mode))
		return 0;
	while (place < map->nr && !is_place_of(&map->ids[place], &id))
		place++;
	err = make_room_for_cpu(map, cpu);
	if (err)
		return err;
	map->of_cpu[cpu] = place;
	/* in AGGR_NONE, this updates the socket, die, cluster and core of the CPU */
	map->ids[place] = id;
	if (place == map->nr)
		map->nr++;
	return 0;
}

void aggr_map__free(struct aggr_map *map)
{
	if (!map)
		return;
	free(map->ids);
	free(map->of_cpu);
	free(map);
}

int aggr_map__nr_subjects(const struct aggr_map *map)
{
	return map->subjects ? map->subjects->nr : 1;
}

static int find_cpu(const struct aggr_map *map, int cpu)
{
	if (!aggr_mode__is_by_cpu(map->mode) || cpu < 0)
		return map->nr ? 0 : -1;
	return cpu < map->nr_cpus ? map->of_cpu[cpu] : -1;
}

int aggr_map__find_place(const struct aggr_map *map, int cpu, const struct topology *topology)
{
	struct aggr_id id;
	int place;

	if (map->mode == AGGR_THREAD)
		return -1;
	place = find_cpu(map, cpu);
	if (place >= 0 || map->mode == AGGR_GLOBAL)
		return place;
	id = id_of_cpu(map->mode, cpu, topology);
	for (place = 0; place < map->nr; place++)
		if (is_place_of(&map->ids[place], &id))
			return place;
	return -1;
}

int aggr_map__find(const struct aggr_map *map, int cpu, int column)
{
	int place = find_cpu(map, cpu);

	if (!map->subjects || place < 0)
		return place;
	return column < map->subjects->nr ? column * map->nr + place : -1;
}

/* ---- tables by aggregate ---- */

void *aggr__grow_table(void *old, size_t size, int events, const struct aggr_shape *from,
		       const struct aggr_shape *to)
{
	size_t had = (size_t)from->aggrs * size, want = (size_t)to->aggrs * size;
	size_t all = (size_t)events * (size_t)to->subjects * want;
	/* at least one byte, because calloc() may return NULL for 0 bytes */
	char *table = calloc(all + 1, 1);

	for (size_t event = 0; table && old && event < (size_t)events; event++)
		for (size_t subject = 0; subject < (size_t)from->subjects; subject++)
			memcpy(table + (event * (size_t)to->subjects + subject) * want,
			       (char *)old + (event * (size_t)from->subjects + subject) * had, had);
	if (table)
		free(old);
	return table;
}

bool aggr__replace_table(void *table, void *bigger)
{
	if (bigger)
		memcpy(table, &bigger, sizeof(bigger));
	return bigger;
}
