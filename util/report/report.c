// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/number.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/report/aggr.h"
#include "util/report/cells.h"
#include "util/report/hist.h"
#include "util/report/stat_row.h"
#include "util/report/stats.h"

/* The statistics of one event, subject and aggregate over all repetitions. */
struct series {
	struct stats value;
	uint64_t enabled; /* sum over the repetitions that `value` includes */
	uint64_t running; /* likewise */
	/* the latest cell that `value` includes; if it includes none, the latest cell */
	struct cell last;
};

struct report {
	struct report_config config;
	struct cells cells;    /* counts of a repetition or an interval, or means of repetitions */
	struct series *series; /* indexed like cells.cells */
	/* indexed like cells.runs: number of runs in the repetitions that series.value includes */
	double *run_sums;
	/* indexed by run_place(): number of repetitions in which the event could not be opened */
	int *missed;
	/* indexed like `missed`: the numbers that report__waited() returns */
	int *waited;
	struct stats elapsed;
	int nr_seen; /* number of CPUs in the latest map passed to config.place_cpus() */
	int nr_hists;
	/*
	 * --hist: the distributions of all repetitions together, one for each program or scope, or
	 * a single one for all programs or scopes.
	 */
	struct hist_sums **hists;
	struct hist_sums *hist_delta;	 /* the distribution of an interval; NULL until needed */
	const struct hist_rows *hist_of; /* measurement.hist of the latest repetition, or NULL */
};

/* Returns the index in `missed` and `waited` for an event and the cgroup of a subject. */
static size_t run_place(const struct report *report, int event, int subject)
{
	int nr_cgroups = report->cells.nr_cgroups;

	return (size_t)event * (size_t)nr_cgroups + (size_t)(subject % nr_cgroups);
}

/*
 * Initializes the series of a subject that did not exist in earlier repetitions: each of these
 * repetitions in which the event could be opened adds a count of 0 to the mean. For an event that
 * pstat measures once for all subjects, copies the series of the first subject, as
 * cells__share_tool_events() does for cells.
 */
static void begin_late(struct report *report, int event, int subject)
{
	size_t nr = (size_t)report->cells.shape.aggrs;
	struct series *of_event = report->series + (size_t)event * (size_t)report->cells.nr_aggr;
	struct series *series = of_event + (size_t)subject * nr;

	if (tool_event__is_of_session(report->config.evlist->entries[event]->tool)) {
		memcpy(series, of_event, sizeof(*series) * nr);
		return;
	}
	for (size_t aggr = 0; aggr < nr; aggr++)
		series[aggr].value.n = report->elapsed.n -
				       (uint64_t)report->missed[run_place(report, event, subject)];
}

/* Makes room for all current subjects and aggregates. Returns 0 or -ENOMEM. */
static int report__grow(struct report *report)
{
	const struct aggr_map *aggr = report->config.aggr;
	const struct aggr_shape had = report->cells.shape;
	struct aggr_shape shape = { .subjects = aggr_map__nr_subjects(aggr), .aggrs = aggr->nr };
	int events = report->config.evlist->nr;

	if (shape.subjects < had.subjects || !shape.subjects)
		shape.subjects = had.subjects ?: 1;
	if (shape.subjects == had.subjects && shape.aggrs == had.aggrs)
		return 0;
	if (!aggr_table__grow(&report->series, events, &had, &shape) ||
	    (report->run_sums && !aggr_table__grow(&report->run_sums, events, &had, &shape)) ||
	    cells__grow(&report->cells, &shape))
		return -ENOMEM;
	for (int event = 0; report->elapsed.n && event < events; event++)
		for (int subject = had.subjects; subject < shape.subjects; subject++)
			begin_late(report, event, subject);
	return 0;
}

static int report__set_cgroups(struct report *report, int nr_cgroups)
{
	size_t nr = (size_t)report->config.evlist->nr * (size_t)nr_cgroups + 1;

	free(report->missed);
	free(report->waited);
	report->missed = calloc(nr, sizeof(*report->missed));
	report->waited = calloc(nr, sizeof(*report->waited));
	return report->missed && report->waited ? cells__set_cgroups(&report->cells, nr_cgroups) :
						  -ENOMEM;
}

struct report *report__new(const struct report_config *config)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->config = *config;
	if (cells__init(&report->cells, &report->config) || report__set_cgroups(report, 1) ||
	    report__grow(report)) {
		report__free(report);
		return NULL;
	}
	return report;
}

void report__free(struct report *report)
{
	if (!report)
		return;
	cells__free(&report->cells);
	free(report->series);
	free(report->run_sums);
	free(report->missed);
	free(report->waited);
	for (int i = 0; i < report->nr_hists; i++)
		hist_sums__free(report->hists[i]);
	free(report->hists);
	if (report->hist_delta)
		hist_sums__free(report->hist_delta);
	free(report);
}

/* If @m contains numbers of runs, makes room for them. Returns 0 or -ENOMEM. */
static int take_runs(struct report *report, const struct measurement *m)
{
	const struct aggr_shape none = { 0, 0 };

	if (!m->run_cnt || report->cells.runs)
		return 0;
	if (!aggr_table__grow(&report->run_sums, report->config.evlist->nr, &none,
			      &report->cells.shape))
		return -ENOMEM;
	return cells__keep_runs(&report->cells);
}

/* Passes @m's subjects to the aggregate map. Sets the number of cgroups. Returns 0 or -ENOMEM. */
static int take_subjects(struct report *report, const struct measurement *m)
{
	int nr_cgroups = subjects__cgroups(m->subjects);

	report->config.aggr->subjects = m->subjects;
	return nr_cgroups == report->cells.nr_cgroups ? 0 : report__set_cgroups(report, nr_cgroups);
}

int report__begin(struct report *report, const struct measurement *m)
{
	if (!m->subjects || !m->subjects->nr)
		return 0;
	return take_subjects(report, m) ?: report__grow(report);
}

/* If CPUs have come online, adds them to the aggregates. Returns 0 or -errno. */
static int take_cpus(struct report *report, const struct measurement *m)
{
	if (!report->config.place_cpus || !m->seen || m->seen->nr == report->nr_seen)
		return 0;
	report->nr_seen = m->seen->nr;
	return report->config.place_cpus(report->config.place_ctx, m->seen);
}

/* Makes room for the CPUs, subjects and numbers of runs that are new in @m. Returns 0 or -errno. */
static int report__take(struct report *report, const struct measurement *m)
{
	return take_cpus(report, m)		?:
		       take_subjects(report, m) ?:
		       report__grow(report)	?:
						  take_runs(report, m);
}

/* ---- repetitions ---- */

static int add_hists(struct report *report, const struct hist_rows *hist)
{
	struct hist_sums **hists = realloc(report->hists, sizeof(*hists) * ((size_t)hist->nr + 1));

	if (!hists)
		return -ENOMEM;
	report->hists = hists;
	for (; report->nr_hists < hist->nr; report->nr_hists++) {
		hists[report->nr_hists] = hist_sums__new();
		if (!hists[report->nr_hists])
			return -ENOMEM;
	}
	for (int i = 0; i < hist->nr; i++)
		hist_sums__add(hists[i], &hist->rows[i]);
	return 0;
}

/* Returns whether the event, or an event that is merged into it, is open for the cgroup. */
static bool is_open(const struct report *report, const struct measurement *m, int event, int cgroup)
{
	for (int i = event; i >= 0; i = evlist__next_merged(report->config.evlist, event, i))
		if (!counts__err(m->events[i], cgroup))
			return true;
	return false;
}

/*
 * Returns whether the event waited for a counter in the cell (see report__waited()). If so, the
 * cell's value is not the event's count.
 */
static bool has_waited(const struct cell *cell)
{
	return cell->starved || (cell->sum.enabled && !cell->sum.running);
}

/*
 * If the event is open and did not wait for a counter (has_waited()), adds the count of this
 * repetition to the series. Returns false if the event is open but waited, otherwise true.
 */
static bool add_cell(struct report *report, int event, int aggr, bool open)
{
	const struct cell *cell = cells__at(&report->cells, event, aggr);
	size_t place = (size_t)(cell - report->cells.cells);
	struct series *series = &report->series[place];
	bool counted = open && !has_waited(cell);

	if (counted || !series->value.n)
		series->last = *cell;
	if (!counted)
		return !open;
	stats__add(&series->value,
		   evsel__count(report->config.evlist->entries[event], cell->sum.value));
	series->enabled += cell->sum.enabled;
	series->running += cell->sum.running;
	if (report->cells.counts_runs)
		report->run_sums[place] += report->cells.runs[place];
	return true;
}

/*
 * Adds a repetition to the series of @event, for all subjects that belong to @cgroup. Without
 * cgroups, @cgroup is 0, and all subjects belong to it.
 */
static void add_event(struct report *report, const struct measurement *m, int event, int cgroup)
{
	bool open = is_open(report, m, event, cgroup), waited = false;
	int aggrs = report->cells.shape.aggrs;

	for (int subject = cgroup; subject < report->cells.shape.subjects;
	     subject += report->cells.nr_cgroups)
		for (int aggr = 0; aggr < aggrs; aggr++)
			waited |= !add_cell(report, event, subject * aggrs + aggr, open);
	report->missed[run_place(report, event, cgroup)] += !open;
	report->waited[run_place(report, event, cgroup)] += waited;
}

int report__add_run(struct report *report, const struct measurement *m)
{
	int err = report__take(report, m);

	if (err)
		return err;
	cells__collect(&report->cells, m, counts__total);
	for (int event = 0; event < m->nr; event++)
		for (int cgroup = 0; cgroup < report->cells.nr_cgroups; cgroup++)
			add_event(report, m, event, cgroup);
	stats__add(&report->elapsed, (double)m->time_ns);
	report->hist_of = m->hist;
	return m->hist ? add_hists(report, m->hist) : 0;
}

void report__reset(struct report *report)
{
	memset(report->series, 0, sizeof(*report->series) * cells__nr(&report->cells));
	if (report->run_sums)
		memset(report->run_sums, 0, sizeof(*report->run_sums) * cells__nr(&report->cells));
	memset(report->missed, 0,
	       sizeof(*report->missed) * run_place(report, report->config.evlist->nr, 0));
	memset(report->waited, 0,
	       sizeof(*report->waited) * run_place(report, report->config.evlist->nr, 0));
	report->elapsed = (struct stats){ 0 };
	for (int i = 0; i < report->nr_hists; i++)
		hist_sums__reset(report->hists[i]);
}

const struct stats *report__elapsed(const struct report *report)
{
	return &report->elapsed;
}

int report__missed(const struct report *report, int event, int cgroup)
{
	return report->missed[run_place(report, event, cgroup)];
}

int report__waited(const struct report *report, int event, int cgroup)
{
	return report->waited[run_place(report, event, cgroup)];
}

/*
 * Sets the value, noise and range of @cell from the repetitions. The value is their mean, which can
 * be negative if the event reads a sensor, such as a temperature sensor.
 */
static void set_mean(const struct evsel *evsel, const struct series *series, struct cell *cell)
{
	double mean = series->value.mean;

	cell->sum.value = mean < 0.0 ? (uint64_t)(int64_t)mean : number__to_count(mean);
	cell->noise = stats__percent(stats__deviation(&series->value),
				     fabs(evsel__count(evsel, cell->sum.value)));
	cell->min = series->value.min;
	cell->max = series->value.max;
	cell->has_range = true;
}

/*
 * Sets the cells to the means of the repetitions or, if there is only one repetition, to its
 * counts. An event is unsupported only if it could not be opened in any repetition.
 */
static void average(struct report *report)
{
	for (size_t i = 0; i < cells__nr(&report->cells); i++) {
		const struct series *series = &report->series[i];
		struct cell *cell = &report->cells.cells[i];
		uint64_t n = series->value.n;

		*cell = series->last;
		if (report->cells.counts_runs)
			report->cells.runs[i] = n ? report->run_sums[i] / (double)n : 0.0;
		if (n < 2)
			continue;
		set_mean(report->config.evlist->entries[i / (size_t)report->cells.nr_aggr], series,
			 cell);
		cell->sum.enabled = series->enabled / n;
		cell->sum.running = series->running / n;
	}
	for (size_t i = 0; i < run_place(report, report->config.evlist->nr, 0); i++)
		if ((uint64_t)report->missed[i] < report->elapsed.n)
			report->cells.unsupported[i] = false;
}

/* ---- rows ---- */

static int fill_hist(const struct report *report, const struct hist_sums *sums,
		     const struct hist_rows *of, int prog, struct stat_rows *rows)
{
	const struct subjects *subjects = report->config.aggr->subjects;
	int err = stat_hist__fill(&rows->hists[prog], sums, of->evsel);

	if (!err && subjects && subjects->kind == &subject_prog) {
		const struct subject *subject = &subjects->list[prog * subjects__cgroups(subjects)];

		rows->hists[prog].prog = subject->name;
		rows->hists[prog].prog_id = (uint32_t)subject->id;
	}
	if (!err && subjects && subjects->kind == &subject_scope)
		rows->hists[prog].scope = subjects->list[prog * subjects__cgroups(subjects)].name;
	return err;
}

int report__rows(struct report *report, struct stat_rows *rows)
{
	int err;

	average(report);
	err = cells__make_rows(&report->cells, report->elapsed.mean, false, rows);
	if (!err && report->hist_of)
		err = stat_rows__make_hists(rows, report->nr_hists);
	for (int i = 0; !err && i < rows->nr_hists; i++)
		err = fill_hist(report, report->hists[i], report->hist_of, i, rows);
	return err;
}

int report__interval(struct report *report, const struct measurement *m, struct stat_rows *rows)
{
	int err = report__take(report, m);

	if (err)
		return err;
	cells__collect(&report->cells, m, counts__delta);
	err = cells__make_rows(&report->cells, (double)m->length_ns, true, rows);
	if (!err && m->hist)
		err = stat_rows__make_hists(rows, m->hist->nr);
	if (!err && m->hist && !report->hist_delta) {
		report->hist_delta = hist_sums__new();
		err = report->hist_delta ? 0 : -ENOMEM;
	}
	for (int i = 0; !err && i < rows->nr_hists; i++) {
		hist_sums__set_delta(report->hist_delta, &m->hist->rows[i]);
		err = fill_hist(report, report->hist_delta, m->hist, i, rows);
	}
	return err;
}

int report__totals(struct report *report, const struct measurement *m, const struct cells **cells)
{
	int err = report__take(report, m);

	if (err)
		return err;
	cells__collect(&report->cells, m, counts__total);
	*cells = &report->cells;
	return 0;
}

/* ---- mean and deviation ---- */

void stats__add(struct stats *stats, double value)
{
	double distance = value - stats->mean;

	stats->min = stats->n && stats->min < value ? stats->min : value;
	stats->max = stats->n && stats->max > value ? stats->max : value;
	stats->n++;
	stats->mean += distance / (double)stats->n;
	stats->m2 += distance * (value - stats->mean);
}

double stats__deviation(const struct stats *stats)
{
	if (stats->n < 2)
		return 0.0;
	return sqrt(stats->m2 / (double)(stats->n - 1) / (double)stats->n);
}

double stats__percent(double deviation, double mean)
{
	return mean != 0.0 ? 100.0 * deviation / mean : 0.0;
}
