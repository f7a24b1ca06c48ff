/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A slow parser for the files that describe the places of CPUs 0 to 3, one line each.
 * util/machine/cpu/topology.h is compared with it.
 */
#ifndef PSTAT_TESTS_FUZZ_SLOW_TOPOLOGY_H
#define PSTAT_TESTS_FUZZ_SLOW_TOPOLOGY_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/cpu/cpumap.h"
#include "util/machine/cpu/topology.h"

/* Below sys/devices/system. There are no other files about these CPUs. */
enum {
	SLOW_NODES,
	SLOW_CORE_OF_0,
	SLOW_DIE_OF_1,
	SLOW_SOCKET_OF_2,
	SLOW_LEVEL_OF_0,
	SLOW_SHARING_OF_0,
	SLOW_CLUSTER_OF_3,
	SLOW_CPUS_OF_NODE,
	SLOW_TOPOLOGY_FILES
};
static const char *const slow_topology_files[] = { "node/online",
						   "cpu/cpu0/topology/core_id",
						   "cpu/cpu1/topology/die_id",
						   "cpu/cpu2/topology/physical_package_id",
						   "cpu/cpu0/cache/index0/level",
						   "cpu/cpu0/cache/index0/shared_cpu_list",
						   "cpu/cpu3/topology/cluster_id",
						   "node/node0/cpulist" };

/* Returns the length of @line without trailing white space, as in a file that pstat reads. */
static inline size_t slow_trimmed(const char *line)
{
	size_t len = strlen(line);

	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	return len;
}

/*
 * Returns a plain number that fits, or @missing. Sets *@sure to false if the line is not a number
 * but similar to one.
 */
static inline int slow_id(const char *line, int missing, bool *sure)
{
	const char *digits = line + (*line == '-');
	size_t len = slow_trimmed(line), nr = strspn(digits, "0123456789");

	if (!len || strlen(line) >= 32)
		return missing;
	if (nr && nr < 10 && digits + nr == line + len)
		return atoi(line);
	*sure &= !strchr("+-0123456789 \t\v\f\r", *line);
	return missing;
}

/* Returns NULL if @line is not a list. */
static inline struct cpumap *slow_list(const char *line)
{
	char *list = strndup(line, slow_trimmed(line));
	struct cpumap *map;

	if (!list)
		abort();
	cpumap__parse(list, &map);
	free(list);
	return map;
}

static inline bool slow_has(const struct cpumap *map, int id)
{
	return map && cpumap__index(map, id) >= 0;
}

static inline void slow_topology__compare_nodes(const struct topology *topology, char *const *lines)
{
	struct cpumap *nodes = slow_list(lines[SLOW_NODES]),
		      *of_node = slow_list(lines[SLOW_CPUS_OF_NODE]);

	for (int cpu = -1; cpu < 6; cpu++) {
		/* without a list of nodes, all CPUs are in the only node */
		const bool is_in = cpu >= 0 && cpu < 4 &&
				   (!nodes || (slow_has(nodes, 0) && slow_has(of_node, cpu)));

		if (topology__place(topology, cpu)->node != (is_in ? 0 : -1))
			abort();
	}
	cpumap__free(nodes);
	cpumap__free(of_node);
}

static inline void slow_topology__compare_ids(const struct topology *topology, char *const *lines)
{
	bool sure = true;
	const int core = slow_id(lines[SLOW_CORE_OF_0], -1, &sure),
		  die = slow_id(lines[SLOW_DIE_OF_1], 0, &sure),
		  socket = slow_id(lines[SLOW_SOCKET_OF_2], -1, &sure),
		  cluster = slow_id(lines[SLOW_CLUSTER_OF_3], 0, &sure);

	for (int cpu = -1; sure && cpu < 6; cpu++) {
		const struct cpu_place *place = topology__place(topology, cpu);
		const int unknown = cpu >= 0 && cpu < 4 ? 0 : -1;

		if (place->core != (cpu == 0 ? core : -1) ||
		    place->socket != (cpu == 2 ? socket : -1) ||
		    place->die != (cpu == 1 && die > 0 ? die : unknown) ||
		    place->cluster != (cpu == 3 && cluster > 0 ? cluster : unknown))
			abort();
	}
}

/* Only CPU 0 may have a cache; without a cache, there is no topology. */
static inline void slow_topology__compare_cache(const struct topology *topology, int err,
						char *const *lines)
{
	struct cpumap *sharing = slow_list(lines[SLOW_SHARING_OF_0]);
	bool sure = true;
	const int level = slow_id(lines[SLOW_LEVEL_OF_0], 0, &sure);

	if (sure && err != (level > 0 ? 0 : -ENODATA))
		abort();
	for (int cpu = -1; sure && !err && cpu < 6; cpu++) {
		const struct cpu_place *place = topology__place(topology, cpu);
		const int lowest = sharing ? sharing->ids[0] : 0;

		if (place->cache_level != (cpu == 0 ? level : 0) ||
		    place->cache != (cpu == 0 ? lowest : -1))
			abort();
	}
	cpumap__free(sharing);
}

/*
 * Compares @err and @topology, the results of topology__read() with TOPOLOGY_LAST_CACHE, with the
 * contents @lines of the files.
 */
static inline void slow_topology__compare(const struct topology *topology, int err,
					  char *const *lines)
{
	slow_topology__compare_cache(topology, err, lines);
	if (err)
		return;
	slow_topology__compare_ids(topology, lines);
	slow_topology__compare_nodes(topology, lines);
}

#endif
