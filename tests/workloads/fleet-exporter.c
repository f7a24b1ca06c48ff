// SPDX-License-Identifier: GPL-2.0-only
/*
 * fleet-exporter LISTEN INDEX CGROUPS MINUTE [SLOW]: serves what `pstat export` would serve on
 * machine INDEX of a fleet. The counts are invented. The report, the formats and the server are
 * pstat's code.
 *
 * The machine runs the services work0@0, work1@0, work2@0, work3@0, work0@1, and so on, each in one
 * of CGROUPS cgroups. Each service uses half a CPU and executes 1e9 instructions per second. The
 * four workloads work0 to work3 need different numbers of cycles per instruction (CPI). The CPI of
 * a service changes at random each MINUTE (a number of ms), with a standard deviation of 3 %.
 * Machines with an odd INDEX have CPUs of another model, on which all services need 0.6 times as
 * many cycles. The service in cgroup SLOW needs 1.5 times as many cycles as other services of its
 * workload. The program prints its address, and ends when its standard input ends.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/output/http-listener.h"
#include "util/output/http-server.h"
#include "util/output/openmetrics.h"
#include "util/report/aggr.h"
#include "util/report/export/export-report.h"
#include "util/report/export/metric-page.h"
#include "util/report/report.h"

#define SEC 1000000000ULL
#define CPUS "0-3"
#define INSTRUCTIONS_PER_SEC 1e9
#define CPUS_USED 0.5
#define SLOWER 1.5
#define WORKLOADS 4
#define OTHER_MODEL 0.6
#define FRESH_NS 100000000

enum { TASK_CLOCK, CYCLES, INSTRUCTIONS, CACHE_MISSES, NR_EVENTS };

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} known_events[NR_EVENTS] = {
	[TASK_CLOCK] = { "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	[CYCLES] = { "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[INSTRUCTIONS] = { "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[CACHE_MISSES] = { "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
};

struct machine {
	int index, nr_cgroups, slow; /* the cgroup SLOW, or -1 */
	uint64_t minute_ns;
	uint64_t start_ns, until_ns; /* until_ns: the time of the current counts */
	double *totals;		     /* [cgroup][event], without task-clock */
	struct evlist *evlist;
	struct cpumap *cpus;
	struct subjects subjects;
	struct counts *events[NR_EVENTS];
	struct measurement measurement;
	struct report *report;
	struct export_report *export;
	struct export_own own;
	struct metric_page page;
};

static void fail(const char *what)
{
	fprintf(stderr, "fleet-exporter: %s\n", what);
	exit(1);
}

static void *checked(void *made)
{
	if (!made)
		fail("out of memory");
	return made;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SEC + (uint64_t)ts.tv_nsec;
}

/* ---- invented counts ---- */

/* Mixes the bits of @x, so that neighbours give unrelated results (the finalizer of SplitMix64). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/*
 * Returns an approximately normal number with mean 0 and standard deviation 1: the sum of twelve
 * uniform numbers between -0.5 and 0.5.
 */
static double noise(uint64_t seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(mix(seed * 12 + (uint64_t)i) >> 11) * 0x1p-53;
	return sum;
}

static double cpi(const struct machine *m, int cgroup, uint64_t minute)
{
	double usual = 0.8 + 0.2 * (cgroup % WORKLOADS);
	uint64_t seed = mix((uint64_t)m->index << 32 | (uint64_t)cgroup) ^ minute;

	return usual * (m->index % 2 ? OTHER_MODEL : 1) * (cgroup == m->slow ? SLOWER : 1) *
	       (1 + 0.03 * noise(seed));
}

/* Advances the totals of a cgroup from m->until_ns to @until. */
static void advance(struct machine *m, int cgroup, uint64_t until)
{
	double *totals = &m->totals[(size_t)cgroup * NR_EVENTS];

	for (uint64_t from = m->until_ns; from < until;) {
		uint64_t minute = from / m->minute_ns;
		uint64_t end = (minute + 1) * m->minute_ns < until ? (minute + 1) * m->minute_ns :
								     until;
		double instructions = (double)(end - from) / SEC * INSTRUCTIONS_PER_SEC;

		totals[INSTRUCTIONS] += instructions;
		totals[CYCLES] += instructions * cpi(m, cgroup, minute);
		totals[CACHE_MISSES] += instructions * 0.002;
		from = end;
	}
}

/* Sets the counts to their values at the current time. Each cgroup runs on one CPU. */
static void count(struct machine *m)
{
	uint64_t until = now(), ran = (uint64_t)((double)(until - m->start_ns) * CPUS_USED);

	for (int i = 0; i < m->nr_cgroups; i++) {
		advance(m, i, until);
		for (int event = 0; event < NR_EVENTS; event++) {
			uint64_t total = event == TASK_CLOCK ?
						 ran :
						 (uint64_t)m->totals[i * NR_EVENTS + event];

			counts__set(m->events[event], i % m->cpus->nr, i,
				    &(struct reading){ total, ran, ran });
		}
	}
	m->until_ns = until;
	m->measurement.time_ns = until - m->start_ns;
}

/* ---- the objects that a session would own ---- */

static void add_event(struct machine *m, int number)
{
	struct evsel *evsel = checked(evsel__new());

	evsel->name = checked(strdup(known_events[number].name));
	evsel->attr.attr.type = known_events[number].type;
	evsel->attr.attr.config = known_events[number].config;
	if (evlist__add(m->evlist, evsel))
		fail("out of memory");
	m->events[number] = checked(counts__new(evsel, m->cpus, m->nr_cgroups));
}

static void make_report(struct machine *m)
{
	struct aggr_map *aggr = checked(aggr_map__new(AGGR_GLOBAL, m->cpus, NULL));
	struct report_config config = { .evlist = m->evlist, .aggr = aggr, .system_wide = true };
	struct timespec start;
	struct export_config export_config = {
		.evlist = m->evlist,
		.version = "fleet",
		.cpu_model = m->index % 2 ? "model-b" : "model-a",
	};

	clock_gettime(CLOCK_REALTIME, &start);
	export_config.start_ns = (uint64_t)start.tv_sec * SEC + (uint64_t)start.tv_nsec;

	m->report = checked(report__new(&config));
	export_config.report = m->report;
	m->export = checked(export_report__new(&export_config));
}

static void make(struct machine *m)
{
	m->evlist = checked(evlist__new());
	if (cpumap__parse(CPUS, &m->cpus))
		fail("no CPUs");
	m->subjects.kind = &subject_cgroup;
	for (int i = 0; i < m->nr_cgroups; i++) {
		char name[64];

		snprintf(name, sizeof(name), "system.slice/work%d@%d.service", i % WORKLOADS,
			 i / WORKLOADS);
		if (subjects__add(&m->subjects, name, (uint64_t)i + 2, NULL) < 0)
			fail("out of memory");
	}
	m->subjects.nr_cgroups = m->nr_cgroups;
	for (int i = 0; i < NR_EVENTS; i++)
		add_event(m, i);
	m->totals = checked(calloc((size_t)m->nr_cgroups * NR_EVENTS, sizeof(*m->totals)));
	m->start_ns = m->until_ns = now();
	m->measurement = (struct measurement){
		.start_ns = m->start_ns,
		.nr = NR_EVENTS,
		.events = (const struct counts *const *)m->events,
		.subjects = &m->subjects,
	};
	make_report(m);
}

/* ---- the server ---- */

static void answer(struct machine *m, struct http_server *server)
{
	unsigned int wanted = http_server__wanted(server);

	if (!wanted)
		return;
	count(m);
	m->own.readings++;
	if (export_report__build(m->export, &m->measurement, &m->own, &m->page))
		fail("no page");
	for (int i = 0; i < METRIC_FORMAT_NR; i++) {
		struct strbuf text = STRBUF_INIT;

		if (!(wanted & 1U << i))
			continue;
		openmetrics__add(&m->page, (enum metric_format)i, &text);
		if (strbuf__failed(&text) ||
		    http_server__serve(server, (enum metric_format)i, text.text, text.len,
				       m->until_ns + FRESH_NS))
			fail("out of memory");
	}
}

static void serve(struct machine *m, const char *address)
{
	struct http_listener listener = HTTP_LISTENER_INIT;
	struct http_server *server;
	struct strbuf why = STRBUF_INIT;
	struct pollfd fds[2] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };

	if (http_listener__open(&listener, address, &why) ||
	    http_server__new(&listener, &why, &server))
		fail(why.text);
	fds[1].fd = http_server__fd(server);
	puts(listener.text);
	fflush(stdout);
	while (poll(fds, 2, -1) >= 0 && !fds[0].revents)
		if (fds[1].revents)
			answer(m, server);
	http_server__free(server);
	http_listener__close(&listener);
}

int main(int argc, char **argv)
{
	struct machine m = { .slow = -1 };

	if (argc < 5)
		fail("usage: fleet-exporter LISTEN INDEX CGROUPS MINUTE [SLOW]");
	m.index = atoi(argv[2]);
	m.nr_cgroups = atoi(argv[3]);
	m.minute_ns = strtoull(argv[4], NULL, 10) * 1000000;
	if (argc > 5)
		m.slow = atoi(argv[5]);
	make(&m);
	serve(&m, argv[1]);
	return 0;
}
