// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/fake-tree.h"

#include "util/base/sysfs.h"
#include "util/count/subjects.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/cpu/topology.h"
#include "util/report/aggr.h"

/*
 * Two sockets, the second with two dies; cores with two threads; CPU 5 does not exist; node 1
 * begins on socket 0.
 */
static const struct fake_cpu machine[] = {
	{ 0, 0, 0, 0, 0, "0-1" }, { 1, 0, 0, 0, 0, "0-1" }, { 2, 1, 0, 2, 0, "2-4" },
	{ 3, 1, 0, 3, 1, "2-4" }, { 4, 1, 0, 3, 1, "2-4" }, { 6, 1, 1, 0, 0, "6" },
};

struct aggr_test {
	struct fake_tree tree;
	struct cpumap *cpus;
	struct topology *topology;
};

static int set_up(void **state)
{
	struct aggr_test *t = calloc(1, sizeof(*t));
	struct sysroots roots;

	assert_non_null(t);
	fake_tree__init(&t->tree);
	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		fake_tree__add_cpu(&t->tree, &machine[i]);
	fake_tree__write(&t->tree, "0-1", "devices/system/node/online");
	fake_tree__write(&t->tree, "2-7", "devices/system/node/node0/cpulist");
	fake_tree__write(&t->tree, "0-1", "devices/system/node/node1/cpulist");
	roots = (struct sysroots){ .sysfs = t->tree.root };
	assert_int_equal(cpumap__parse("0-4,6", &t->cpus), 0);
	assert_int_equal(topology__read(&roots, t->cpus, TOPOLOGY_LAST_CACHE, &t->topology), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct aggr_test *t = *state;

	topology__free(t->topology);
	cpumap__free(t->cpus);
	fake_tree__free(&t->tree);
	free(t);
	return 0;
}

/* @of: the place of each of CPUs 0 to 6, or -1 for the missing one. */
static struct aggr_map *expect_map(struct aggr_test *t, enum aggr_mode mode, int nr,
				   const int of[7])
{
	struct aggr_map *map = aggr_map__new(mode, t->cpus, t->topology);

	assert_non_null(map);
	assert_int_equal(map->nr, nr);
	for (int cpu = 0; cpu < 7; cpu++)
		assert_int_equal(aggr_map__find(map, cpu, 0), of[cpu]);
	assert_int_equal(aggr_map__find(map, -1, 0), 0);
	return map;
}

static void with_global_aggregation_there_is_one_aggregate(void **state)
{
	aggr_map__free(expect_map(*state, AGGR_GLOBAL, 1, (int[]){ 0, 0, 0, 0, 0, 0, 0 }));
}

static void without_aggregation_each_cpu_is_an_aggregate(void **state)
{
	struct aggr_map *map = expect_map(*state, AGGR_NONE, 6, (int[]){ 0, 1, 2, 3, 4, -1, 5 });

	assert_int_equal(map->ids[5].cpu, 6);
	assert_int_equal(map->ids[5].die, 1);
	assert_int_equal(aggr_map__find(map, 7, 0), -1);
	aggr_map__free(map);
}

static void sockets_dies_clusters_and_cores_nest(void **state)
{
	struct aggr_map *map = expect_map(*state, AGGR_SOCKET, 2, (int[]){ 0, 0, 1, 1, 1, -1, 1 });

	assert_int_equal(map->ids[1].socket, 1);
	assert_int_equal(map->ids[1].die, -1);
	aggr_map__free(map);
	map = expect_map(*state, AGGR_DIE, 3, (int[]){ 0, 0, 1, 1, 1, -1, 2 });
	assert_int_equal(map->ids[2].die, 1);
	aggr_map__free(map);
	map = expect_map(*state, AGGR_CLUSTER, 4, (int[]){ 0, 0, 1, 2, 2, -1, 3 });
	assert_int_equal(map->ids[2].cluster, 3);
	aggr_map__free(map);
	map = expect_map(*state, AGGR_CORE, 4, (int[]){ 0, 0, 1, 2, 2, -1, 3 });
	assert_int_equal(map->ids[3].core, 0);
	aggr_map__free(map);
}

static void nodes_are_sorted_by_number(void **state)
{
	struct aggr_map *map = expect_map(*state, AGGR_NODE, 2, (int[]){ 1, 1, 0, 0, 0, -1, 0 });

	assert_int_equal(map->ids[0].node, 0);
	aggr_map__free(map);
}

static void caches_are_named_by_their_lowest_cpu(void **state)
{
	struct aggr_map *map = expect_map(*state, AGGR_CACHE, 3, (int[]){ 0, 0, 1, 1, 1, -1, 2 });

	assert_int_equal(map->ids[1].cache, 2);
	assert_int_equal(map->ids[1].cache_level, 3);
	assert_int_equal(map->ids[2].cache, 6);
	aggr_map__free(map);
}

static void threads_are_in_one_aggregate_each(void **state)
{
	struct cpumap *any = cpumap__any();
	struct aggr_map *map = aggr_map__new(AGGR_THREAD, any, NULL);
	struct subjects threads = { .kind = &subject_thread };

	(void)state;
	assert_non_null(map);
	assert_int_equal(map->nr, 1);
	assert_int_equal(map->ids[0].mode, AGGR_THREAD);
	assert_int_equal(subjects__add(&threads, "b", 0, NULL), 0);
	assert_int_equal(subjects__add(&threads, "a", 0, NULL), 1);
	map->subjects = &threads;
	/* BPF has counts of threads for each CPU */
	assert_int_equal(aggr_map__find(map, 3, 1), 1);
	assert_int_equal(aggr_map__find(map, -1, 1), 1);
	assert_int_equal(aggr_map__find(map, 3, 2), -1);
	subjects__free(&threads);
	aggr_map__free(map);
	cpumap__free(any);
}

static void a_task_without_cpus_has_one_row(void **state)
{
	struct cpumap *any = cpumap__any();
	struct aggr_map *map = aggr_map__new(AGGR_NONE, any, NULL);

	(void)state;
	assert_non_null(map);
	assert_int_equal(map->nr, 1);
	assert_int_equal(map->ids[0].cpu, -1);
	assert_int_equal(aggr_map__find(map, -1, 0), 0);
	aggr_map__free(map);
	cpumap__free(any);
}

static void a_cpu_that_comes_online_gets_a_place(void **state)
{
	static const struct {
		enum aggr_mode mode;
		int before, after, place;
	} rows[] = {
		{ AGGR_GLOBAL, 1, 1, 0 }, { AGGR_SOCKET, 2, 2, 1 }, { AGGR_DIE, 2, 3, 2 },
		{ AGGR_CORE, 3, 4, 3 },	  { AGGR_NONE, 5, 6, 5 },
	};
	struct aggr_test *t = *state;
	struct sysroots roots = { .sysfs = t->tree.root };
	struct cpumap *first;

	assert_int_equal(cpumap__parse("0-4", &first), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct aggr_map *map = aggr_map__new(rows[i].mode, first, t->topology);

		assert_int_equal(map->nr, rows[i].before);
		assert_int_equal(topology__update(t->topology, &roots, 6, TOPOLOGY_LAST_CACHE), 0);
		assert_int_equal(aggr_map__add_cpu(map, 6, t->topology), 0);
		assert_int_equal(map->nr, rows[i].after);
		assert_int_equal(aggr_map__find(map, 6, 0), rows[i].place);
		assert_int_equal(aggr_map__find(map, 0, 0), 0);
		aggr_map__free(map);
	}
	cpumap__free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_global_aggregation_there_is_one_aggregate),
		cmocka_unit_test(a_cpu_that_comes_online_gets_a_place),
		cmocka_unit_test(without_aggregation_each_cpu_is_an_aggregate),
		cmocka_unit_test(sockets_dies_clusters_and_cores_nest),
		cmocka_unit_test(nodes_are_sorted_by_number),
		cmocka_unit_test(caches_are_named_by_their_lowest_cpu),
		cmocka_unit_test(threads_are_in_one_aggregate_each),
		cmocka_unit_test(a_task_without_cpus_has_one_row),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
