// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the output byte for byte with tests/golden/stat/FORMAT-MODE.txt, for every format and
 * aggregation mode: one run, intervals and several runs. The counts are fixed, and the machine is
 * invented. PSTAT_UPDATE_GOLDEN=1 rewrites the files. Check the differences before you commit them.
 */
#include "tests/unit/golden-file.h"
#include "tests/unit/golden-matrix.h"
#include "tests/unit/json-lines.h"

#define NR_CPUS 5
#define NR_THREADS 3

/*
 * Two sockets, the first with two dies, and cores with one or two threads. CPUs 3 and 5 are
 * offline. The node of socket 1 comes first.
 */
static const struct fake_cpu machine[NR_CPUS] = {
	{ 0, 0, 0, 0, 0, "0-1" }, { 1, 0, 0, 0, 0, "0-1" }, { 2, 0, 1, 1, 0, "2" },
	{ 4, 1, 0, 2, 5, "4,6" }, { 6, 1, 0, 2, 5, "4,6" },
};

static const struct fixture_thread threads[NR_THREADS] = {
	{ 4711, "worker" },
	{ 4712, "a \"name\", quoted" },
	{ 98765432, "kworker/u16:2-events_unbound" },
};

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	/* shares its counter with other events */
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	/* cannot be opened */
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	/* gets no counter on CPU 6 */
	{ "cpu/event=0xd1,umask=1,name=\"x\"/", PERF_TYPE_RAW, 0x1d1 },
};

enum { CLOCK, STALLED = 3, BRANCHES, CACHE_MISSES, RAW, NR_EVENTS, NR_CGROUPS = 2 };

static const char *const cgroups[NR_CGROUPS] = { "web", "batch,jobs/a-long-name" };

static const struct mode {
	const char *name;
	enum aggr_mode mode;
	bool cgroups;
} modes[] = {
	{ "global", AGGR_GLOBAL, false },	{ "no-aggr", AGGR_NONE, false },
	{ "socket", AGGR_SOCKET, false },	{ "die", AGGR_DIE, false },
	{ "cluster", AGGR_CLUSTER, false },	{ "cache", AGGR_CACHE, false },
	{ "core", AGGR_CORE, false },		{ "node", AGGR_NODE, false },
	{ "thread", AGGR_THREAD, false },	{ "cgroup", AGGR_GLOBAL, true },
	{ "cgroup-socket", AGGR_SOCKET, true },
};

/*
 * Returns the totals after @step readings. All totals are different, and as irregular as real ones.
 */
static struct reading reading_of(int event, int place, int step)
{
	uint64_t ns = (uint64_t)step * 100 * MSEC + (uint64_t)place * 12345 + (uint64_t)step * 777;
	struct reading reading = { ns * (uint64_t)(event + 2) / 3 + (uint64_t)place, ns, ns };

	switch (event % NR_EVENTS) {
	case CLOCK:
		reading.value = ns;
		break;
	case STALLED:
		reading.value = ns / 7;
		break;
	case BRANCHES:
		reading.running = ns / 3;
		break;
	case RAW:
		if (place == NR_CPUS - 1)
			reading = (struct reading){ 0, ns, 0 };
		break;
	}
	return reading;
}

static void count(struct fixture *f, int step)
{
	for (int event = 0; event < f->evlist->nr; event++) {
		for (int cpu = 0; cpu < f->cpus->nr; cpu++) {
			for (int thread = 0; thread < f->events[event]->nr_columns; thread++) {
				struct reading reading =
					f->subjects.nr_cgroups ?
						reading_of(thread * NR_EVENTS + event, cpu, step) :
						reading_of(event, cpu + thread, step);

				if (!f->events[event]->open_err)
					counts__set(f->events[event], cpu, thread, &reading);
			}
		}
	}
}

static void set_up(struct fixture *f, const struct mode *mode, const struct topology *topology)
{
	for (int i = 0; i < NR_EVENTS; i++)
		fixture__event(f, events[i].name, events[i].type, events[i].config);
	for (int i = 0; mode->cgroups && i < NR_CGROUPS; i++)
		fixture__cgroup(f, cgroups[i]);
	f->config.topology = topology;
	f->config.core_pmu = "cpu";
	if (mode->mode == AGGR_THREAD)
		fixture__threads(f, threads, NR_THREADS);
	fixture__ready(f, mode->mode);
	counts__set_unsupported(f->events[CACHE_MISSES], -ENOENT, NULL);
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
	struct timespec when = { .tv_sec = 12, .tv_nsec = 1234567 };

	count(f, 1);
	fixture__mark(f);
	count(f, 2);
	fixture__write_interval(f, output, when, 100.0 * MSEC);
}

static void write_runs(struct fixture *f, struct output *output)
{
	static const char *const argv[] = { "./program", "-n", "3", NULL };
	struct output_head head = { .kind = TARGET_COMMAND, .argv = argv };
	struct output_foot foot = { .has_rusage = true };

	for (int step = 1; step <= 3; step++) {
		count(f, step);
		fixture__add_run(f, 100.2 * (double)step * MSEC);
	}
	foot.elapsed = report__elapsed(f->report)->mean / 1e9;
	foot.deviation = stats__deviation(report__elapsed(f->report)) / 1e9;
	fixture__write_runs(f, output, &head, &foot);
}

/* Writes intervals with a foot and without a head. */
static void write_summary(struct fixture *f, struct output *output)
{
	struct output_foot foot = { .elapsed = 0.2002 };

	write_interval(f, output);
	fixture__add_run(f, 200.2 * MSEC);
	fixture__write_runs(f, output, NULL, &foot);
}

static const struct {
	const char *name;
	int runs;
	void (*write)(struct fixture *f, struct output *output);
} parts[] = {
	{ "once", 1, write_once },
	{ "an interval", 1, write_interval },
	{ "three runs", 3, write_runs },
	{ "an interval and a summary", 1, write_summary },
};

/* Writes all parts of one format and mode, each after a line with its name. */
static void check(int format, const struct mode *mode)
{
	struct topology *topology;
	char path[128], *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
		struct output_config config = {
			.format = formats[format].format,
			.file = file,
			.aggr_mode = mode->mode,
			.runs = parts[part].runs,
			.cgroups = mode->cgroups,
			.mark_summary = parts[part].write == write_summary,
		};
		struct output *output;
		struct fixture f;

		fixture__init(&f, mode->mode == AGGR_THREAD ? NULL : "0-2,4,6");
		topology = golden_topology(machine, NR_CPUS, (const char *const[]){ "4-6", "0-3" },
					   f.cpus);
		set_up(&f, mode, topology);
		fprintf(file, "==> %s\n", parts[part].name);
		assert_int_equal(output__new(&config, &output), 0);
		parts[part].write(&f, output);
		output__free(output);
		fixture__free(&f);
		topology__free(topology);
	}
	fclose(file);
	snprintf(path, sizeof(path), "tests/golden/stat/%s-%s.txt", formats[format].name,
		 mode->name);
	expect_golden(path, text);
	if (formats[format].format == &output_json)
		expect_json_lines(text);
	free(text);
}

/* Compares the output in the format whose number is @state. */
static void check_format(void **state)
{
	int format = (int)(uintptr_t)*state;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		check(format, &modes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GOLDEN_TEST(check_format, "std", 0),
		GOLDEN_TEST(check_format, "csv", 1),
		GOLDEN_TEST(check_format, "json", 2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
