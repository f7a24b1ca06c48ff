// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same counts printed by perf 6.12 and by pstat. tests/golden/perf-6.12 contains counts (the
 * number of events and the wall time; type, config, exclude_kernel and name of each event; value,
 * enabled and running of each event on CPUs 0 and 1) and the output of `perf stat report` for them,
 * without its heading.
 */
#include "tests/unit/fake-tree.h"
#include "tests/unit/stat-fixture.h"

#include <inttypes.h>

#include "util/base/sysfs.h"
#include "util/machine/cpu/topology.h"

#define FOLDER "tests/golden/perf-6.12/"

static double read_counts(struct fixture *f, FILE *file)
{
	double wall_ns;
	int nr;

	assert_int_equal(fscanf(file, "%d %lf", &nr, &wall_ns), 2);
	for (int i = 0; i < nr; i++) {
		struct evsel *evsel;
		uint64_t config;
		uint32_t type;
		char name[64];
		int exclude;

		assert_int_equal(fscanf(file, "%" SCNu32 " %" SCNu64 " %d %63s", &type, &config,
					&exclude, name),
				 4);
		evsel = fixture__event(f, name, type, config);
		evsel->attr.attr.exclude_kernel = exclude != 0;
		evsel->pmu_name = strdup(name); /* perf's report knows no PMUs to show with -A. */
	}
	return wall_ns;
}

static void read_readings(struct fixture *f, FILE *file)
{
	for (int event = 0; event < f->evlist->nr; event++) {
		for (int cpu = 0; cpu < 2; cpu++) {
			struct reading r;

			assert_int_equal(fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &r.value,
						&r.enabled, &r.running),
					 3);
			counts__set(f->events[event], cpu, 0, &r);
		}
	}
}

/* One socket with two cores, as on the machine on which the counts were recorded. */
static struct topology *read_machine(const struct cpumap *cpus)
{
	struct topology *topology;
	struct fake_tree tree;
	struct sysroots roots;

	fake_tree__init(&tree);
	roots = (struct sysroots){ .sysfs = tree.root };
	for (int cpu = 0; cpu < 2; cpu++)
		fake_tree__add_cpu(&tree, &(struct fake_cpu){ cpu, 0, 0, 0, cpu, NULL });
	assert_int_equal(topology__read(&roots, cpus, TOPOLOGY_NO_CACHE, &topology), 0);
	fake_tree__free(&tree);
	return topology;
}

/* Returns perf's output without the "(null)" that perf prints if there is no unit. */
static char *read_wanted(const char *format, const char *mode)
{
	char path[128], *text = calloc(1, 1 << 16), *null;
	FILE *file;

	snprintf(path, sizeof(path), FOLDER "%s-%s.txt", format, mode);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	while ((null = strstr(text, "(null)")))
		memmove(null, null + strlen("(null)"), strlen(null + strlen("(null)")) + 1);
	return text;
}

static void compare(const char *name, const struct output_format *format, const char *mode_name,
		    enum aggr_mode mode)
{
	FILE *file = fopen(FOLDER "counts.txt", "r");
	char *wanted = read_wanted(name, mode_name);
	struct topology *topology;
	struct fixture f;
	double wall_ns;

	assert_non_null(file);
	fixture__init(&f, "0-1");
	wall_ns = read_counts(&f, file);
	topology = read_machine(f.cpus);
	f.config.topology = topology;
	fixture__ready(&f, mode);
	read_readings(&f, file);
	fclose(file);
	fixture__add_run(&f, wall_ns);
	fixture__expect(&f, (struct output_config){ .format = format, .big_num = true }, NULL,
			&(struct output_foot){ .elapsed = wall_ns / 1e9 }, wanted);
	fixture__free(&f);
	topology__free(topology);
	free(wanted);
}

static void compare_modes(const char *name, const struct output_format *format)
{
	compare(name, format, "global", AGGR_GLOBAL);
	compare(name, format, "no-aggr", AGGR_NONE);
	compare(name, format, "socket", AGGR_SOCKET);
	compare(name, format, "core", AGGR_CORE);
}

static void text_is_equal_to_that_of_perf(void **state)
{
	(void)state;
	compare_modes("std", &output_std);
}

static void csv_is_equal_to_that_of_perf(void **state)
{
	(void)state;
	compare_modes("csv", &output_csv);
}

static void json_is_equal_to_that_of_perf_without_null(void **state)
{
	(void)state;
	compare_modes("json", &output_json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_equal_to_that_of_perf),
		cmocka_unit_test(csv_is_equal_to_that_of_perf),
		cmocka_unit_test(json_is_equal_to_that_of_perf_without_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
