// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the output of -M and --metric-only byte for byte with
 * tests/golden/metrics/FORMAT-MODE.txt, for every format and aggregation mode: one run, intervals
 * and several runs. The counts are fixed, and the machine is invented.
 */
#include "tests/unit/golden-file.h"
#include "tests/unit/golden-matrix.h"
#include "tests/unit/json-lines.h"

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/parse-events.h"
#include "util/machine/machine-view.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

#define NR_CPUS 3
#define NR_THREADS 2
#define METRICS "m_share,m_plain,m_rate,m_good,m_missing,m_unit,m_quoted,ipc"

static const struct fake_cpu machine[NR_CPUS] = {
	{ 0, 0, 0, 0, 0, "0-1" },
	{ 1, 0, 0, 0, 0, "0-1" },
	{ 4, 1, 1, 2, 7, "4" },
};

static const struct fixture_thread threads[NR_THREADS] = { { 4711, "worker" },
							   { 98765, "a \"name\", quoted" } };

static const struct metric_def defs[] = {
	{ .name = "m_share",
	  .expr = "task\\-clock / (duration_time * 1e9)",
	  .scale = "100%",
	  .threshold = "m_share > 0.5" },
	{ .name = "m_plain", .expr = "page\\-faults / context\\-switches" },
	{ .name = "m_rate",
	  .expr = "page\\-faults / duration_time",
	  .scale = "1e-3kilo_faults_per_sec" },
	{ .name = "m_good", .expr = "context\\-switches", .threshold = "m_good > 1e15" },
	{ .name = "m_missing",
	  .expr = "page\\-faults / (context\\-switches - context\\-switches)" },
	{ .name = "m_unit", .expr = "page\\-faults - context\\-switches", .scale = "1" },
	{ .name = "m_quoted", .expr = "page\\-faults", .scale = "1\"of, these\"" },
};

static const struct mode {
	const char *name;
	enum aggr_mode mode;
	bool cgroups;
} modes[] = {
	{ "global", AGGR_GLOBAL, false },   { "no-aggr", AGGR_NONE, false },
	{ "socket", AGGR_SOCKET, false },   { "die", AGGR_DIE, false },
	{ "cluster", AGGR_CLUSTER, false }, { "cache", AGGR_CACHE, false },
	{ "core", AGGR_CORE, false },	    { "node", AGGR_NODE, false },
	{ "thread", AGGR_THREAD, false },   { "cgroup", AGGR_GLOBAL, true },
	{ "cgroup-core", AGGR_CORE, true },
};

static struct metric_table *make_table(void)
{
	struct metric_table *table = metric_table__new();

	assert_non_null(table);
	for (size_t i = 0; i < sizeof(defs) / sizeof(defs[0]); i++)
		assert_int_equal(metric_table__add(table, &defs[i]), 0);
	return table;
}

static struct metric_set *choose(const struct metric_table *table, struct evlist *evlist)
{
	static const struct sysroots nowhere = { "/nonexistent", "/nonexistent", "/nonexistent" };
	const struct event_env env = { .roots = &nowhere };
	const struct machine_view facts = { .roots = &nowhere };
	const struct metric_set_config config = { .table = table,
						  .machine = &facts,
						  .events = &env };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf why = STRBUF_INIT;
	struct metric_set *set;

	assert_int_equal(parse_events(evlist, "branches,branch-misses", &env, &error), 0);
	assert_int_equal(metric_set__new(&config, METRICS, evlist, &set, &why), 0);
	parse_error__free(&error);
	strbuf__free(&why);
	return set;
}

/* All counts are different. instructions never runs on the last CPU or in the last thread. */
static void count(struct fixture *f, int step)
{
	for (int event = 0; event < f->evlist->nr; event++) {
		const struct evsel *evsel = f->evlist->entries[event];
		int nr_cpus = evsel->tool ? 1 : f->cpus->nr, nr_cgroups = f->subjects.nr_cgroups,
		    nr_threads = evsel->tool && !nr_cgroups ? 1 : f->events[event]->nr_columns;

		for (int cpu = 0; cpu < nr_cpus; cpu++) {
			for (int thread = 0; thread < nr_threads; thread++) {
				int place = nr_cgroups ? cpu : cpu + thread;
				int number = nr_cgroups ? thread * f->evlist->nr + event : event;
				uint64_t ns = (uint64_t)step * 100 * MSEC + (uint64_t)place * 12345;
				struct reading reading = {
					(uint64_t)step * 7 + (uint64_t)place * 3 + (uint64_t)number,
					ns, ns
				};

				if (evsel__is_clock(evsel))
					reading.value = ns / (uint64_t)(place + 1);
				else if (evsel->attr.attr.type == PERF_TYPE_HARDWARE)
					reading.value = ns / (uint64_t)(number + 2);
				if (evsel->attr.attr.type == PERF_TYPE_HARDWARE &&
				    evsel->attr.attr.config == PERF_COUNT_HW_INSTRUCTIONS &&
				    place && (cpu == f->cpus->nr - 1) &&
				    (nr_cgroups || thread == nr_threads - 1))
					reading = (struct reading){ 0, ns, 0 };
				fixture__set(f, event, cpu, thread, reading.value, reading.enabled,
					     reading.running);
			}
		}
	}
}

static void write_once(struct fixture *f, struct output *output)
{
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output_foot foot = { .elapsed = 0.1002 };

	count(f, 1);
	fixture__add_run(f, 100.2 * MSEC);
	fixture__write_runs(f, output, &head, &foot);
}

static void write_interval(struct fixture *f, struct output *output)
{
	for (int step = 1; step <= 2; step++) {
		struct timespec when = { .tv_sec = step, .tv_nsec = 1234567 };

		count(f, step);
		fixture__write_interval(f, output, when, 100.0 * MSEC);
		fixture__mark(f);
	}
}

static void write_runs(struct fixture *f, struct output *output)
{
	struct output_head head = { .kind = TARGET_SYSTEM };
	struct output_foot foot = { .elapsed = 0.2, .deviation = 0.01 };

	for (int step = 1; step <= 3; step++) {
		count(f, step);
		fixture__add_run(f, 100.2 * (double)step * MSEC);
	}
	fixture__write_runs(f, output, &head, &foot);
}

static const struct {
	const char *name;
	int runs;
	bool metric_only;
	void (*write)(struct fixture *f, struct output *output);
} parts[] = {
	{ "-M", 1, false, write_once },
	{ "-M -I", 1, false, write_interval },
	{ "-M -r", 3, false, write_runs },
	{ "-M --metric-only", 1, true, write_once },
	{ "-M --metric-only -I", 1, true, write_interval },
	{ "-M --metric-only -r", 3, true, write_runs },
};

static void write_part(size_t part, int format, const struct mode *mode, FILE *file)
{
	struct output_config config = {
		.format = formats[format].format,
		.file = file,
		.aggr_mode = mode->mode,
		.runs = parts[part].runs,
		.cgroups = mode->cgroups,
		.metric_only = parts[part].metric_only,
	};
	struct metric_table *table = make_table();
	struct topology *topology;
	struct metric_set *set;
	struct output *output;
	struct fixture f;

	fixture__init(&f, mode->mode == AGGR_THREAD ? NULL : "0-1,4");
	topology = golden_topology(machine, NR_CPUS, (const char *const[]){ "4", "0-1" }, f.cpus);
	set = choose(table, f.evlist);
	if (mode->cgroups) {
		fixture__cgroup(&f, "web");
		fixture__cgroup(&f, "b,j");
	}
	f.config.topology = topology;
	f.config.metrics = set;
	f.config.metric_only = parts[part].metric_only;
	if (mode->mode == AGGR_THREAD)
		fixture__threads(&f, threads, NR_THREADS);
	fixture__ready(&f, mode->mode);
	fprintf(file, "==> %s\n", parts[part].name);
	assert_int_equal(output__new(&config, &output), 0);
	parts[part].write(&f, output);
	output__free(output);
	fixture__free(&f);
	topology__free(topology);
	metric_set__free(set);
	metric_table__free(table);
}

/* Compares the output in the format whose number is @state. */
static void check_format(void **state)
{
	int format = (int)(uintptr_t)*state;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		char path[128], *text;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		assert_non_null(file);
		for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)
			write_part(part, format, &modes[i], file);
		fclose(file);
		snprintf(path, sizeof(path), "tests/golden/metrics/%s-%s.txt", formats[format].name,
			 modes[i].name);
		expect_golden(path, text);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf "));
		if (formats[format].format == &output_json)
			expect_json_lines(text);
		free(text);
	}
}

/* ---- colours ---- */

static void thresholds_are_shown_in_colour_on_a_terminal(void **state)
{
	struct output_config config = { .format = &output_std, .color = true };
	struct stat_rows rows = { .unit_width = 4 };
	struct row_metric metric = { .unit = "m",
				     .has_value = true,
				     .asked_for = true,
				     .value = 2,
				     .width = 8,
				     .decimals = 2 };
	struct metric_row metrics = { 0 };
	struct aggr_id id = { .mode = AGGR_GLOBAL };
	struct sink s;

	(void)state;
	assert_non_null(stat_rows__add(&rows, &id, "cs", "", NULL));
	rows.rows[0].enabled = rows.rows[0].running = 1;
	for (enum metric_level level = METRIC_GOOD; level <= METRIC_BAD; level++) {
		metric.level = level;
		assert_int_equal(metric_row__add(&metrics, &metric), 0);
	}
	rows.rows[0].metrics = metrics.metrics;
	rows.rows[0].nr_metrics = metrics.nr;
	sink__open(&s, config);
	output__rows(s.output, &rows);
	sink__expect(&s, "                 0      cs                               # \033[32m    "
			 "2.00\033[m m          "
			 "               \n"
			 "                                                  # \033[31m    "
			 "2.00\033[m m                 "
			 "        \n");
	config.metric_only = true;
	sink__open(&s, config);
	output__rows(s.output, &rows);
	sink__expect(&s,
		     "                    m                    m \n"
		     "            \033[32m    2.00\033[m             \033[31m    2.00\033[m \n");
	stat_rows__free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GOLDEN_TEST(check_format, "std", 0),
		GOLDEN_TEST(check_format, "csv", 1),
		GOLDEN_TEST(check_format, "json", 2),
		cmocka_unit_test(thresholds_are_shown_in_colour_on_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
