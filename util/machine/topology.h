/* SPDX-License-Identifier: GPL-2.0-only */
/* Where each CPU stands in the machine, as sysfs tells it: package, die, cluster, core, NUMA node, shared cache. */
#ifndef PSTAT_MACHINE_TOPOLOGY_H
#define PSTAT_MACHINE_TOPOLOGY_H

struct cpumap;
struct sysroots;

/* For the cache argument of topology__read(), which else is a level. */
#define TOPOLOGY_NO_CACHE (-1) /* do not read the caches: that is many files */
#define TOPOLOGY_LAST_CACHE 0  /* the highest level that each CPU has */

/*
 * -1 where the kernel does not know; die and cluster are 0 then (kernels before they were told apart), and so is the node
 * of a machine without NUMA. A die's id is unique in its socket, a core's and a cluster's in their die.
 */
struct cpu_place {
	int socket;
	int die;
	int cluster;
	int core;
	int node;
	int cache_level; /* 0 when no cache was asked for, or the CPU has none */
	int cache;	 /* lowest CPU that shares it, -1: none of that level */
};

struct topology;

/*
 * The places of @cpus. 0; -ENODATA when not one of the CPUs has a cache of the level asked for, or -ENOMEM.
 * An id of -1 ("any CPU") and CPUs without files have no known place.
 */
int topology__read(const struct sysroots *roots, const struct cpumap *cpus, int cache, struct topology **topology);
/*
 * Reads the topology of CPU @cpu again, because the CPU may have come online. Pass the same @cache as to the first
 * read. @cpu must not exceed the highest id of the first read. Returns 0 or -ENOMEM.
 */
int topology__update(struct topology *topology, const struct sysroots *roots, int cpu, int cache);
void topology__free(struct topology *topology);

/* Never NULL: the place of a CPU that was not read is all -1. */
const struct cpu_place *topology__place(const struct topology *topology, int cpu);

#endif
