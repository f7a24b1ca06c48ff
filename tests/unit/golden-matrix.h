/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output formats, and a machine for all aggregation modes. From them, the tests make a golden
 * file for each mode and format.
 */
#ifndef PSTAT_TESTS_GOLDEN_MATRIX_H
#define PSTAT_TESTS_GOLDEN_MATRIX_H

#include "tests/unit/fake-tree.h"
#include "tests/unit/stat-fixture.h"
#include "util/base/sysfs.h"
#include "util/machine/cpu/topology.h"

static const struct {
	const char *name;
	const struct output_format *format;
} formats[] = {
	{ "std", &output_std },
	{ "csv", &output_csv },
	{ "json", &output_json },
};

/* The test of a format: @check gets the format's @number as its state. */
#define GOLDEN_TEST(check, form, number)                                 \
	{                                                                \
		form "_is_what_the_golden_files_say", check, NULL, NULL, \
			(void *)(uintptr_t)(number)                      \
	}

/* Makes the topology of a machine with these CPUs; @nodes lists the CPUs of its two nodes. */
static inline struct topology *golden_topology(const struct fake_cpu *machine, int nr_cpus,
					       const char *const nodes[2],
					       const struct cpumap *cpus)
{
	int cache = cpumap__is_any(cpus) ? TOPOLOGY_NO_CACHE : TOPOLOGY_LAST_CACHE;
	struct topology *topology;
	struct fake_tree tree;
	struct sysroots roots;

	fake_tree__init(&tree);
	roots = (struct sysroots){ .sysfs = tree.root };
	for (int i = 0; i < nr_cpus; i++)
		fake_tree__add_cpu(&tree, &machine[i]);
	fake_tree__write(&tree, "0-1", "devices/system/node/online");
	fake_tree__write(&tree, nodes[0], "devices/system/node/node0/cpulist");
	fake_tree__write(&tree, nodes[1], "devices/system/node/node1/cpulist");
	assert_int_equal(topology__read(&roots, cpus, cache, &topology), 0);
	fake_tree__free(&tree);
	return topology;
}

#endif
