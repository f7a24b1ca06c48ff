/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The place of each CPU in the machine, from sysfs: package (socket), die, cluster, core, NUMA node
 * and shared cache.
 */
#ifndef PSTAT_MACHINE_TOPOLOGY_H
#define PSTAT_MACHINE_TOPOLOGY_H

struct cpumap;
struct sysroots;

/* Special values of the argument @cache of topology__read(). Other values are cache levels. */
#define TOPOLOGY_NO_CACHE (-1) /* do not read the many files about caches */
#define TOPOLOGY_LAST_CACHE 0  /* the highest-level cache of each CPU */

/*
 * Unknown ids are -1, with two exceptions: `die` and `cluster` are 0 if the kernel does not report
 * them, and `node` is 0 on a machine without NUMA. The id of a die is unique only within its
 * socket. The ids of cores and clusters are unique only within their die.
 */
struct cpu_place {
	int socket;
	int die;
	int cluster;
	int core;
	int node;
	/*
	 * level of `cache`; 0: no cache was requested, or the level of the highest-level cache is
	 * unknown
	 */
	int cache_level;
	int cache; /* lowest CPU that shares the cache; -1: no such cache, or none was requested */
};

struct topology;

/*
 * Reads the places of @cpus. Returns 0; -ENODATA if none of the CPUs has a cache of the requested
 * level; or -ENOMEM. For CPU -1 ("any CPU"), all ids are -1. A CPU that has no files in sysfs gets
 * the values for unknown ids (see struct cpu_place).
 */
int topology__read(const struct sysroots *roots, const struct cpumap *cpus, int cache,
		   struct topology **topology);
/*
 * Reads the place of CPU @cpu again, for example after the CPU has come online. @cache must be the
 * same as for topology__read(). Does nothing if @cpu is higher than all ids in the @cpus of
 * topology__read(). Returns 0 or -ENOMEM.
 */
int topology__update(struct topology *topology, const struct sysroots *roots, int cpu, int cache);
void topology__free(struct topology *topology);

/* Returns the place of @cpu, never NULL. If @cpu was not read, all ids of the place are -1. */
const struct cpu_place *topology__place(const struct topology *topology, int cpu);

#endif
