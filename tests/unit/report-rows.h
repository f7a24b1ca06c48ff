/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes one run of a fixture, and checks its rows. */
#ifndef PSTAT_TESTS_REPORT_ROWS_H
#define PSTAT_TESTS_REPORT_ROWS_H

#include "tests/unit/fake-tree.h"
#include "tests/unit/stat-fixture.h"
#include "util/base/sysfs.h"
#include "util/machine/cpu/topology.h"

/* Reports one run of a second. */
static inline void run(struct fixture *f)
{
	report__reset(f->report);
	fixture__add_run(f, 1e9);
	assert_int_equal(report__rows(f->report, &f->rows), 0);
}

static inline void row_counts(const struct fixture *f, int row, double value)
{
	assert_true(row < f->rows.nr);
	assert_int_equal(f->rows.rows[row].state, ROW_COUNTED);
	assert_true(f->rows.rows[row].value == value);
}

/*
 * Returns the topology of two sockets with two cores of two threads each: CPUs 0 to 7, where the
 * threads of a core have consecutive numbers.
 */
static inline struct topology *two_sockets(struct fake_tree *tree, const struct cpumap *cpus)
{
	struct topology *topology;
	struct sysroots roots;

	fake_tree__init(tree);
	roots = (struct sysroots){ .sysfs = tree->root };
	for (int cpu = 0; cpu < 8; cpu++)
		fake_tree__add_cpu(tree,
				   &(struct fake_cpu){ cpu, cpu / 4, 0, 0, cpu / 2 % 2, NULL });
	assert_int_equal(topology__read(&roots, cpus, TOPOLOGY_NO_CACHE, &topology), 0);
	return topology;
}

#endif
