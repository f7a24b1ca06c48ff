// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cpu/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/base/sysfs.h"
#include "util/machine/cpu/cpumap.h"

#define CACHES_MAX 16 /* maximum number of directories cache/index* of one CPU */

struct topology {
	int nr;			   /* the table has entries for the CPU ids below this number */
	struct cpu_place places[]; /* indexed by CPU id */
};

static const struct cpu_place nowhere = {
	.socket = -1,
	.die = -1,
	.cluster = -1,
	.core = -1,
	.node = -1,
	.cache = -1,
};

/*
 * Reads a signed number. The kernel writes -1 for unknown ids. Returns @missing if there is no
 * number.
 */
static int read_id(const struct sysroots *roots, const char *path, int missing)
{
	char text[32], *end;
	long value;

	if (sysfs__read(roots->sysfs, path, text, sizeof(text)) <= 0)
		return missing;
	value = strtol(text, &end, 10);
	return *end || value < INT_MIN || value > INT_MAX ? missing : (int)value;
}

static int read_cpu_id(const struct sysroots *roots, int cpu, const char *file, int missing)
{
	char path[128];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/%s", cpu, file);
	return read_id(roots, path, missing);
}

/*
 * Returns the lowest CPU in the list that the file @path contains, or @cpu if the list cannot be
 * read.
 */
static int read_lowest(const struct sysroots *roots, const char *path, int cpu)
{
	struct cpumap *map;
	int lowest = cpu;

	if (cpumap__read(roots, path, &map))
		return cpu;
	if (map->nr)
		lowest = map->ids[0];
	cpumap__free(map);
	return lowest;
}

static void read_cache(const struct sysroots *roots, int cpu, int level, struct cpu_place *place)
{
	char file[64], path[128];
	int found = -1;

	if (level != TOPOLOGY_LAST_CACHE)
		place->cache_level = level;
	for (int i = 0; i < CACHES_MAX; i++) {
		int this_level;

		snprintf(file, sizeof(file), "cache/index%d/level", i);
		this_level = read_cpu_id(roots, cpu, file, 0);
		if (!this_level)
			break;
		if (level == TOPOLOGY_LAST_CACHE ? this_level > place->cache_level :
						   this_level == level) {
			place->cache_level = this_level;
			found = i;
		}
	}
	if (found < 0)
		return;
	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu,
		 found);
	place->cache = read_lowest(roots, path, cpu);
}

static void read_place(const struct sysroots *roots, int cpu, int cache, struct cpu_place *place)
{
	place->socket = read_cpu_id(roots, cpu, "topology/physical_package_id", -1);
	place->core = read_cpu_id(roots, cpu, "topology/core_id", -1);
	place->die = read_cpu_id(roots, cpu, "topology/die_id", 0);
	place->cluster = read_cpu_id(roots, cpu, "topology/cluster_id", 0);
	if (place->die < 0)
		place->die = 0;
	if (place->cluster < 0)
		place->cluster = 0;
	if (cache != TOPOLOGY_NO_CACHE)
		read_cache(roots, cpu, cache, place);
}

static void set_node(struct topology *topology, const struct cpumap *cpus,
		     const struct cpumap *of_node, int node)
{
	for (int i = 0; i < cpus->nr; i++)
		if (cpus->ids[i] >= 0 && cpumap__index(of_node, cpus->ids[i]) >= 0)
			topology->places[cpus->ids[i]].node = node;
}

static int read_nodes(const struct sysroots *roots, const struct cpumap *cpus,
		      struct topology *topology)
{
	struct cpumap *nodes, *of_node;
	char path[128];
	int err;

	if (cpumap__read(roots, "devices/system/node/online", &nodes)) {
		set_node(topology, cpus, cpus, 0);
		return 0;
	}
	for (int i = 0; i < nodes->nr; i++) {
		snprintf(path, sizeof(path), "devices/system/node/node%d/cpulist", nodes->ids[i]);
		err = cpumap__read(roots, path, &of_node); /* -EINVAL if the node has no CPUs */
		if (err == -ENOMEM) {
			cpumap__free(nodes);
			return err;
		}
		if (!err)
			set_node(topology, cpus, of_node, nodes->ids[i]);
		cpumap__free(of_node);
	}
	cpumap__free(nodes);
	return 0;
}

static bool any_cache(const struct topology *topology)
{
	for (int cpu = 0; cpu < topology->nr; cpu++)
		if (topology->places[cpu].cache >= 0)
			return true;
	return false;
}

int topology__read(const struct sysroots *roots, const struct cpumap *cpus, int cache,
		   struct topology **topology)
{
	int nr = cpumap__last(cpus) + 1, err;
	struct topology *t = malloc(sizeof(*t) + sizeof(t->places[0]) * (size_t)nr);

	*topology = NULL;
	if (!t)
		return -ENOMEM;
	t->nr = nr;
	for (int cpu = 0; cpu < nr; cpu++)
		t->places[cpu] = nowhere;
	for (int i = 0; i < cpus->nr; i++)
		if (cpus->ids[i] >= 0)
			read_place(roots, cpus->ids[i], cache, &t->places[cpus->ids[i]]);
	err = read_nodes(roots, cpus, t);
	if (!err && cache != TOPOLOGY_NO_CACHE && !any_cache(t))
		err = -ENODATA;
	if (err) {
		topology__free(t);
		return err;
	}
	*topology = t;
	return 0;
}

int topology__update(struct topology *topology, const struct sysroots *roots, int cpu, int cache)
{
	struct cpumap *one;
	int err;

	if (cpu < 0 || cpu >= topology->nr)
		return 0;
	one = cpumap__any();
	if (!one)
		return -ENOMEM;
	one->ids[0] = cpu;
	read_place(roots, cpu, cache, &topology->places[cpu]);
	err = read_nodes(roots, one, topology);
	cpumap__free(one);
	return err;
}

void topology__free(struct topology *topology)
{
	free(topology);
}

const struct cpu_place *topology__place(const struct topology *topology, int cpu)
{
	return cpu >= 0 && cpu < topology->nr ? &topology->places[cpu] : &nowhere;
}
