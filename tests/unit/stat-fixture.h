/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed counts for tests of the report and the formats: events, a machine and readings without a
 * kernel, and the output as text. If an allocation fails, the test ends.
 */
#ifndef PSTAT_TESTS_STAT_FIXTURE_H
#define PSTAT_TESTS_STAT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"
#include "util/output/output.h"
#include "util/report/aggr.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"
#include "util/report/stats.h"

#define MSEC 1000000ULL

struct fixture {
	struct evlist *evlist;
	struct cpumap *cpus;
	struct measurement measurement; /* its `events` are the following array */
	struct counts **events;
	struct counts *run_cnt;
	struct subjects subjects;
	struct aggr_map *aggr;
	struct report_config config;
	struct report *report;
	struct stat_rows rows;
};

/* @cpus: a CPU list, or NULL for a task that is counted on every CPU. */
static inline void fixture__init(struct fixture *f, const char *cpus)
{
	memset(f, 0, sizeof(*f));
	f->evlist = evlist__new();
	assert_non_null(f->evlist);
	if (cpus)
		assert_int_equal(cpumap__parse(cpus, &f->cpus), 0);
	else
		f->cpus = cpumap__any();
	assert_non_null(f->cpus);
}

static inline struct evsel *fixture__event(struct fixture *f, const char *name, uint32_t type,
					   uint64_t config)
{
	struct evsel *evsel = evsel__new();

	assert_non_null(evsel);
	evsel->name = strdup(name);
	evsel->attr.attr.type = type;
	evsel->attr.attr.config = config;
	if (evsel__is_clock(evsel)) {
		free(evsel->unit);
		evsel->unit = strdup("msec");
		evsel->scale = 1e-6;
	}
	assert_int_equal(evlist__add(f->evlist, evsel), 0);
	return evsel;
}

static inline struct evsel *fixture__cs(struct fixture *f)
{
	return fixture__event(f, "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

static inline struct evsel *fixture__clock(struct fixture *f)
{
	return fixture__event(f, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
}

static inline struct evsel *fixture__faults(struct fixture *f)
{
	return fixture__event(f, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

/*
 * -G: puts each event into the cgroup whose name is at the event's index in @names (NULL: none).
 * Call this after all events have been added.
 */
static inline void fixture__in_cgroups(struct fixture *f, const char *const *names)
{
	static struct cgroup known[8];

	for (int i = 0; i < f->evlist->nr; i++) {
		int place = 0;

		while (names[i] && known[place].name && strcmp(known[place].name, names[i]))
			assert_true(++place < 8);
		known[place].name = names[i] ? (char *)names[i] : known[place].name;
		f->evlist->entries[i]->cgroup = names[i] ? &known[place] : NULL;
	}
}

/* Adds a column to all events, for --for-each-cgroup. Call it before the report is made. */
static inline void fixture__cgroup(struct fixture *f, const char *name)
{
	f->subjects.kind = &subject_cgroup;
	assert_int_equal(subjects__add(&f->subjects, name, 0, NULL), f->subjects.nr_cgroups);
	f->subjects.nr_cgroups++;
	f->measurement.subjects = &f->subjects;
}

struct fixture_thread {
	pid_t tid;
	const char *comm;
};

/* Adds a column to all events for each thread. Call it before the report is made. */
static inline void fixture__threads(struct fixture *f, const struct fixture_thread *threads, int nr)
{
	f->subjects.kind = &subject_thread;
	for (int i = 0; i < nr; i++) {
		assert_int_equal(subjects__add(&f->subjects, threads[i].comm, 0, NULL), i);
		f->subjects.list[i].tid = threads[i].tid;
	}
	f->measurement.subjects = &f->subjects;
}

/*
 * Makes tables for the counts of all events, each with rows for the CPUs of the event's PMU, and a
 * report. Call it after all events have been added. f->config may be filled in before that.
 */
static inline void fixture__ready_map(struct fixture *f, struct aggr_map *aggr)
{
	assert_non_null(aggr);
	f->aggr = aggr;
	f->events = calloc((size_t)f->evlist->nr, sizeof(*f->events));
	assert_non_null(f->events);
	f->measurement.nr = f->evlist->nr;
	f->measurement.events = (const struct counts *const *)f->events;
	for (int i = 0; i < f->evlist->nr; i++) {
		const struct evsel *evsel = f->evlist->entries[i];

		f->events[i] = counts__new_on(evsel, f->cpus, evsel->pmu_cpus, f->subjects.nr ?: 1);
		assert_non_null(f->events[i]);
	}
	f->config.evlist = f->evlist;
	f->config.aggr = aggr;
	f->report = report__new(&f->config);
	assert_non_null(f->report);
}

static inline void fixture__ready(struct fixture *f, enum aggr_mode mode)
{
	fixture__ready_map(f, aggr_map__new(mode, f->cpus, f->config.topology));
}

/* Sets the totals of one reading, by index. */
static inline void fixture__set(struct fixture *f, int event, int cpu, int thread, uint64_t value,
				uint64_t enabled, uint64_t running)
{
	counts__set(f->events[event], cpu, thread, &(struct reading){ value, enabled, running });
}

/* Sets the totals of the first CPU and thread. The event was enabled and running for @ns. */
static inline void fixture__count(struct fixture *f, int event, uint64_t value, uint64_t ns)
{
	fixture__set(f, event, 0, 0, value, ns, ns);
}

/* Sets all totals for a task that switched @cs times, ran for @ns and had @faults page faults. */
static inline void fixture__task(struct fixture *f, uint64_t cs, uint64_t ns, uint64_t faults)
{
	fixture__init(f, NULL);
	fixture__cs(f);
	fixture__clock(f);
	fixture__faults(f);
	fixture__ready(f, AGGR_GLOBAL);
	fixture__count(f, 0, cs, ns);
	fixture__count(f, 1, ns, ns);
	fixture__count(f, 2, faults, ns);
}

/* Adds a run of this duration to the report. */
static inline int fixture__add_run(struct fixture *f, double wall_ns)
{
	f->measurement.time_ns = (uint64_t)wall_ns;
	f->measurement.run_cnt = f->run_cnt;
	return report__add_run(f->report, &f->measurement);
}

/* Fills the rows with an interval of this length. */
static inline int fixture__read_interval(struct fixture *f, double wall_ns)
{
	f->measurement.length_ns = (uint64_t)wall_ns;
	f->measurement.run_cnt = f->run_cnt;
	return report__interval(f->report, &f->measurement, &f->rows);
}

static inline void fixture__mark(struct fixture *f)
{
	for (int i = 0; i < f->evlist->nr; i++)
		counts__mark(f->events[i]);
	if (f->run_cnt)
		counts__mark(f->run_cnt);
}

static inline void fixture__free(struct fixture *f)
{
	stat_rows__free(&f->rows);
	report__free(f->report);
	aggr_map__free(f->aggr);
	for (int i = 0; i < f->evlist->nr; i++)
		counts__free(f->events[i]);
	counts__free(f->run_cnt);
	free(f->events);
	evlist__free(f->evlist);
	cpumap__free(f->cpus);
	subjects__free(&f->subjects);
}

/* ---- text ---- */

struct sink {
	char *text;
	size_t size;
	FILE *file;
	struct output *output;
};

static inline void sink__open(struct sink *s, struct output_config config)
{
	memset(s, 0, sizeof(*s));
	s->file = open_memstream(&s->text, &s->size);
	assert_non_null(s->file);
	config.file = s->file;
	assert_int_equal(output__new(&config, &s->output), 0);
}

static inline void sink__close(struct sink *s)
{
	output__free(s->output);
	fclose(s->file);
	free(s->text);
}

/* Writes the counts of all runs so far to @output. @head and @foot may be NULL. */
static inline void fixture__write_runs(struct fixture *f, struct output *output,
				       const struct output_head *head,
				       const struct output_foot *foot)
{
	assert_int_equal(report__rows(f->report, &f->rows), 0);
	if (head)
		assert_int_equal(output__begin(output, head), 0);
	assert_int_equal(output__rows(output, &f->rows), 0);
	if (foot)
		assert_int_equal(output__end(output, foot), 0);
}

/* Writes the counts since the mark, an interval of @wall_ns that ends at @when, to @output. */
static inline void fixture__write_interval(struct fixture *f, struct output *output,
					   struct timespec when, double wall_ns)
{
	assert_int_equal(fixture__read_interval(f, wall_ns), 0);
	assert_int_equal(output__interval(output, &when, &f->rows), 0);
}

/* Compares the text that was written, and closes the output. */
static inline void sink__expect(struct sink *s, const char *text)
{
	fflush(s->file);
	assert_string_equal(s->text, text);
	sink__close(s);
}

/*
 * Checks that fixture__write_runs() writes @text in the format of @config, whose aggr_mode is set.
 */
static inline void fixture__expect(struct fixture *f, struct output_config config,
				   const struct output_head *head, const struct output_foot *foot,
				   const char *text)
{
	struct sink sink;

	config.aggr_mode = f->config.aggr->mode;
	sink__open(&sink, config);
	fixture__write_runs(f, sink.output, head, foot);
	sink__expect(&sink, text);
}

/* Adds a run in which all figures have fractions: 1203.9 ms of task-clock in two seconds. */
static inline void fixture__of_fractions(struct fixture *f)
{
	fixture__init(f, "0");
	fixture__clock(f);
	fixture__ready(f, AGGR_GLOBAL);
	fixture__set(f, 0, 0, 0, 1203900000, 2000000000, 2000000000);
	fixture__add_run(f, 2e9);
}

#endif
