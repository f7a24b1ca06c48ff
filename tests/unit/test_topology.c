// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include <errno.h>

#include "util/base/sysfs.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/cpu/topology.h"

static struct topology *read_all(struct fake_tree *tree, const char *list, int cache)
{
	struct sysroots roots = { .sysfs = tree->root };
	struct topology *topology;
	struct cpumap *cpus;

	assert_int_equal(cpumap__parse(list, &cpus), 0);
	assert_int_equal(topology__read(&roots, cpus, cache, &topology), 0);
	cpumap__free(cpus);
	return topology;
}

static void a_machine_of_512_cpus_is_read_whole(void **state)
{
	struct fake_tree tree;
	struct topology *topology;
	char shares[32];

	(void)state;
	fake_tree__init(&tree);
	/* 4 sockets with 2 dies of 32 cores of 2 threads, whose CPU numbers differ by 256 */
	for (int cpu = 0; cpu < 512; cpu++) {
		int place = cpu % 256;

		snprintf(shares, sizeof(shares), "%d-%d,%d-%d", place & ~31, place | 31,
			 (place & ~31) + 256, (place | 31) + 256);
		fake_tree__add_cpu(&tree, &(struct fake_cpu){
						  cpu,
						  place / 64,
						  place / 32 % 2,
						  place / 4 % 8,
						  place % 32,
						  shares,
					  });
	}
	fake_tree__write(&tree, "0-3", "devices/system/node/online");
	for (int node = 0; node < 4; node++) {
		char list[64];

		snprintf(list, sizeof(list), "%d-%d,%d-%d", node * 64, node * 64 + 63,
			 node * 64 + 256, node * 64 + 319);
		fake_tree__write(&tree, list, "devices/system/node/node%d/cpulist", node);
	}
	topology = read_all(&tree, "0-511", TOPOLOGY_LAST_CACHE);
	for (int cpu = 0; cpu < 512; cpu++) {
		const struct cpu_place *place = topology__place(topology, cpu);

		assert_int_equal(place->socket, cpu % 256 / 64);
		assert_int_equal(place->die, cpu / 32 % 2);
		assert_int_equal(place->cluster, cpu / 4 % 8);
		assert_int_equal(place->core, cpu % 32);
		assert_int_equal(place->node, cpu % 256 / 64);
		assert_int_equal(place->cache_level, 3);
		assert_int_equal(place->cache, cpu % 256 & ~31);
	}
	topology__free(topology);
	fake_tree__free(&tree);
}

static void holes_and_cpus_that_were_not_read_have_no_position(void **state)
{
	struct fake_tree tree;
	struct topology *topology;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 0, 0, 0, 0, 0, NULL });
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 9, 1, 0, 0, 4, NULL });
	topology = read_all(&tree, "0,5,9", TOPOLOGY_NO_CACHE);
	assert_int_equal(topology__place(topology, 0)->socket, 0);
	assert_int_equal(topology__place(topology, 9)->core, 4);
	assert_int_equal(topology__place(topology, 5)->socket, -1); /* requested, but offline */
	assert_int_equal(topology__place(topology, 1)->socket, -1);
	assert_int_equal(topology__place(topology, 10)->core, -1);
	assert_int_equal(topology__place(topology, -1)->node, -1);
	topology__free(topology);
	fake_tree__free(&tree);
}

/*
 * On kernels without die_id (before 5.2) and cluster_id (before 5.16) and without NUMA, all CPUs
 * are in the first die, cluster and node.
 */
static void facts_that_an_old_kernel_lacks_are_zero(void **state)
{
	struct fake_tree tree;
	struct topology *topology;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__write(&tree, "1", "devices/system/cpu/cpu0/topology/physical_package_id");
	fake_tree__write(&tree, "7", "devices/system/cpu/cpu0/topology/core_id");
	topology = read_all(&tree, "0", TOPOLOGY_NO_CACHE);
	assert_int_equal(topology__place(topology, 0)->socket, 1);
	assert_int_equal(topology__place(topology, 0)->die, 0);
	assert_int_equal(topology__place(topology, 0)->cluster, 0);
	assert_int_equal(topology__place(topology, 0)->core, 7);
	assert_int_equal(topology__place(topology, 0)->node, 0);
	topology__free(topology);
	fake_tree__free(&tree);
}

static void ids_that_the_kernel_does_not_know_are_minus_one(void **state)
{
	struct fake_tree tree;
	struct topology *topology;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 0, -1, -1, -1, 3, NULL });
	fake_tree__write(&tree, "abc", "devices/system/cpu/cpu1/topology/core_id");
	topology = read_all(&tree, "0-1", TOPOLOGY_NO_CACHE);
	assert_int_equal(topology__place(topology, 0)->socket, -1);
	assert_int_equal(topology__place(topology, 0)->die, 0);
	assert_int_equal(topology__place(topology, 1)->core, -1);
	topology__free(topology);
	fake_tree__free(&tree);
}

static void a_node_that_has_only_memory_has_no_cpus(void **state)
{
	struct fake_tree tree;
	struct topology *topology;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 0, 0, 0, 0, 0, NULL });
	fake_tree__write(&tree, "0,2", "devices/system/node/online");
	fake_tree__write(&tree, "", "devices/system/node/node0/cpulist");
	fake_tree__write(&tree, "0-7", "devices/system/node/node2/cpulist");
	topology = read_all(&tree, "0", TOPOLOGY_NO_CACHE);
	assert_int_equal(topology__place(topology, 0)->node, 2);
	topology__free(topology);
	fake_tree__free(&tree);
}

static void a_level_that_only_some_cpus_have_is_minus_one_on_the_others(void **state)
{
	struct fake_tree tree;
	struct topology *topology;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 0, 0, 0, 0, 0, "0" });
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 1, 0, 0, 0, 1, NULL });
	topology = read_all(&tree, "0-1", 3);
	assert_int_equal(topology__place(topology, 0)->cache, 0);
	assert_int_equal(topology__place(topology, 1)->cache_level, 3);
	assert_int_equal(topology__place(topology, 1)->cache, -1);
	topology__free(topology);
	topology = read_all(&tree, "0-1", 1);
	assert_int_equal(topology__place(topology, 0)->cache_level, 1);
	topology__free(topology);
	fake_tree__free(&tree);
}

static void a_level_that_no_cpu_has_is_an_error(void **state)
{
	struct topology *topology;
	struct fake_tree tree;
	struct sysroots roots = { .sysfs = tree.root };
	struct cpumap *cpus;

	(void)state;
	fake_tree__init(&tree);
	fake_tree__add_cpu(&tree, &(struct fake_cpu){ 0, 0, 0, 0, 0, "0" });
	assert_int_equal(cpumap__parse("0", &cpus), 0);
	assert_int_equal(topology__read(&roots, cpus, 4, &topology), -ENODATA);
	assert_null(topology);
	cpumap__free(cpus);
	fake_tree__free(&tree);
}

static void this_machine_can_be_read(void **state)
{
	struct topology *topology;
	struct cpumap *cpus;

	(void)state;
	assert_int_equal(cpumap__online(sysroots__host(), &cpus), 0);
	assert_int_equal(topology__read(sysroots__host(), cpus, TOPOLOGY_NO_CACHE, &topology), 0);
	for (int i = 0; i < cpus->nr; i++)
		assert_true(topology__place(topology, cpus->ids[i])->node >= 0);
	topology__free(topology);
	cpumap__free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_of_512_cpus_is_read_whole),
		cmocka_unit_test(holes_and_cpus_that_were_not_read_have_no_position),
		cmocka_unit_test(facts_that_an_old_kernel_lacks_are_zero),
		cmocka_unit_test(ids_that_the_kernel_does_not_know_are_minus_one),
		cmocka_unit_test(a_node_that_has_only_memory_has_no_cpus),
		cmocka_unit_test(a_level_that_only_some_cpus_have_is_minus_one_on_the_others),
		cmocka_unit_test(a_level_that_no_cpu_has_is_an_error),
		cmocka_unit_test(this_machine_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
