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
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"
#include "util/report/aggr-table.h"
#include "util/report/aggr.h"
#include "util/report/cells-collect.h"
#include "util/report/cells-rows.h"
#include "util/report/cells.h"
#include "util/report/hist.h"
#include "util/report/stat_row.h"
#include "util/report/stats.h"

/* The same cell over all runs. */
struct series {
	struct stats value;
	uint64_t enabled; /* summed up */
	uint64_t running;
	struct cell last;
};

struct report {
	struct report_config config;
	struct cells cells;    /* of what is at hand: a run, an interval, the mean of all runs */
	struct series *series; /* as cells.cells */
	double *run_sums;      /* as cells.runs, of the runs that are in the value */
	int *missed;	       /* [event]: runs in which it could not be opened */
	int *waited;	       /* [event]: number of runs in which the event never got a counter in some aggregate */
	struct stats elapsed;
	int nr_seen; /* number of CPUs that have places */
	int nr_hists;
	struct hist_sums **hists;	 /* of the runs, by program where they are told apart */
	struct hist_sums *hist_delta;	 /* of an interval */
	const struct hist_rows *hist_of; /* the counts that came last with distributions, else NULL */
};

/* What counted nothing in the runs so far; of pstat's own times, the same for all programs, what the first one's row has. */
static void begin_late(struct report *report, int event, int aggr)
{
	const struct aggr_map *map = report->config.aggr;
	struct series *of_event = report->series + (size_t)event * (size_t)report->cells.nr_aggr;

	if (!tool_event__is_of_session(report->config.evlist->entries[event]->tool))
		of_event[aggr].value.n = report->elapsed.n - (uint64_t)report->missed[event];
	else if (aggr && aggr % map->nr_per_prog == 0)
		of_event[aggr] = of_event[0];
}

static int report__grow(struct report *report, int nr_aggr)
{
	const struct aggr_table shape = { report->config.evlist->nr, report->cells.nr_aggr, nr_aggr };

	if (!aggr_table__grow(&report->series, &shape) ||
	    (report->run_sums && !aggr_table__grow(&report->run_sums, &shape)) || cells__grow(&report->cells, nr_aggr))
		return -ENOMEM;
	for (int event = 0; report->elapsed.n && event < shape.events; event++)
		for (int aggr = shape.had; aggr < nr_aggr; aggr++)
			begin_late(report, event, aggr);
	return 0;
}

struct report *report__new(const struct report_config *config)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->config = *config;
	report->hist_delta = hist_sums__new();
	report->missed = calloc((size_t)config->evlist->nr + 1, sizeof(*report->missed));
	report->waited = calloc((size_t)config->evlist->nr + 1, sizeof(*report->waited));
	if (!report->hist_delta || !report->missed || !report->waited || cells__init(&report->cells, &report->config) ||
	    report__grow(report, config->aggr->nr)) {
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
	hist_sums__free(report->hist_delta);
	free(report);
}

/* Room for the runs that the counts come with. 0 or -ENOMEM. */
static int take_runs(struct report *report, const struct counts_set *set)
{
	const struct aggr_table shape = { report->config.evlist->nr, 0, report->cells.nr_aggr };

	if (!set->run_cnt || report->cells.runs)
		return 0;
	return aggr_table__grow(&report->run_sums, &shape) ? cells__keep_runs(&report->cells) : -ENOMEM;
}

/* There may be programs now that were not there before. 0 or -ENOMEM. */
static int take_progs(struct report *report, const struct counts_set *set)
{
	struct aggr_map *aggr = report->config.aggr;
	int err;

	if (!aggr->by_prog || !set->progs)
		return 0;
	err = aggr_map__set_progs(aggr, set->progs);
	return err ?: aggr->nr > report->cells.nr_aggr ? report__grow(report, aggr->nr) : 0;
}

/* Gives places to CPUs that came online. Returns 0 or -errno. */
static int take_cpus(struct report *report, const struct counts_set *set)
{
	const struct aggr_map *aggr = report->config.aggr;
	int err;

	if (!report->config.place_cpus || !set->seen || set->seen->nr == report->nr_seen)
		return 0;
	report->nr_seen = set->seen->nr;
	err = report->config.place_cpus(report->config.place_ctx, set->seen);
	return err ?: aggr->nr > report->cells.nr_aggr ? report__grow(report, aggr->nr) : 0;
}

/* ---- runs ---- */

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

/* Is it open, or one that shows as a part of it? */
static bool is_open(const struct report *report, const struct counts_set *set, int event)
{
	for (int i = event; i >= 0; i = evlist__next_merged(report->config.evlist, event, i))
		if (!set->events[i]->open_err)
			return true;
	return false;
}

/* Was the event enabled without ever getting a counter? Its value 0 then means nothing. */
static bool has_waited(const struct cell *cell)
{
	return cell->starved || (cell->sum.enabled && !cell->sum.running);
}

/*
 * Adds a run to the event's statistics. A run in which the event could not be opened, or never got a counter, does not
 * enter its mean.
 */
static void add_event(struct report *report, const struct counts_set *set, int event)
{
	bool open = is_open(report, set, event), waited = false;

	report->missed[event] += !open;
	for (int aggr = 0; aggr < report->cells.nr_aggr; aggr++) {
		const struct cell *cell = cells__at(&report->cells, event, aggr);
		struct series *series = &report->series[cell - report->cells.cells];
		bool counted = open && !has_waited(cell);

		waited |= open && !counted;
		if (!counted && series->value.n)
			continue;
		series->last = *cell;
		if (!counted)
			continue;
		stats__add(&series->value, evsel__count(report->config.evlist->entries[event], cell->sum.value));
		series->enabled += cell->sum.enabled;
		series->running += cell->sum.running;
		if (report->cells.counts_runs)
			report->run_sums[cell - report->cells.cells] += report->cells.runs[cell - report->cells.cells];
	}
	report->waited[event] += waited;
}

int report__add_run(struct report *report, const struct counts_set *set, double wall_ns)
{
	if (take_cpus(report, set) || take_runs(report, set) || take_progs(report, set))
		return -ENOMEM;
	cells__collect(&report->cells, set, counts__total);
	for (int event = 0; event < set->nr; event++)
		add_event(report, set, event);
	stats__add(&report->elapsed, wall_ns);
	report->hist_of = set->hist;
	return set->hist ? add_hists(report, set->hist) : 0;
}

void report__reset(struct report *report)
{
	memset(report->series, 0, sizeof(*report->series) * cells__nr(&report->cells));
	if (report->run_sums)
		memset(report->run_sums, 0, sizeof(*report->run_sums) * cells__nr(&report->cells));
	memset(report->missed, 0, sizeof(*report->missed) * (size_t)report->config.evlist->nr);
	memset(report->waited, 0, sizeof(*report->waited) * (size_t)report->config.evlist->nr);
	report->elapsed = (struct stats){ 0 };
	for (int i = 0; i < report->nr_hists; i++)
		hist_sums__reset(report->hists[i]);
}

const struct stats *report__elapsed(const struct report *report)
{
	return &report->elapsed;
}

int report__missed(const struct report *report, int event)
{
	return report->missed[event];
}

int report__waited(const struct report *report, int event)
{
	return report->waited[event];
}

/* Sets @cell to the mean and noise of the repetitions. A sensor's mean can be negative. */
static void set_mean(const struct evsel *evsel, const struct series *series, struct cell *cell)
{
	double mean = series->value.mean;

	cell->sum.value = mean < 0.0 ? (uint64_t)(int64_t)mean : number__to_count(mean);
	cell->noise = stats__percent(stats__deviation(&series->value), fabs(evsel__count(evsel, cell->sum.value)));
}

/* Fills the cells with the means of the runs; of a single run exactly with what it counted. */
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
		set_mean(report->config.evlist->entries[i / (size_t)report->cells.nr_aggr], series, cell);
		cell->sum.enabled = series->enabled / n;
		cell->sum.running = series->running / n;
	}
	for (int event = 0; event < report->config.evlist->nr; event++)
		if ((uint64_t)report->missed[event] < report->elapsed.n)
			report->cells.unsupported[event] = false;
}

/* ---- to rows ---- */

static int fill_hist(const struct report *report, const struct hist_sums *sums, const struct hist_rows *of, int prog,
		     struct stat_rows *rows)
{
	const struct aggr_map *aggr = report->config.aggr;
	int err = stat_hist__fill(&rows->hists[prog], sums, of->evsel);

	if (!err && aggr->by_prog) {
		rows->hists[prog].prog = aggr->prog_names[prog];
		rows->hists[prog].prog_id = aggr->ids[prog * aggr->nr_per_prog].prog_id;
	}
	return err;
}

int report__rows(struct report *report, struct stat_rows *rows)
{
	int err;

	average(report);
	err = cells__make_rows(&report->cells, report->elapsed.mean, rows);
	if (!err && report->hist_of)
		err = stat_rows__make_hists(rows, report->nr_hists);
	for (int i = 0; !err && i < rows->nr_hists; i++)
		err = fill_hist(report, report->hists[i], report->hist_of, i, rows);
	return err;
}

int report__interval(struct report *report, const struct counts_set *set, double wall_ns, struct stat_rows *rows)
{
	int err = take_cpus(report, set) ?: take_runs(report, set) ?: take_progs(report, set);

	if (err)
		return err;
	cells__collect(&report->cells, set, counts__delta);
	err = cells__make_rows(&report->cells, wall_ns, rows);
	if (!err && set->hist)
		err = stat_rows__make_hists(rows, set->hist->nr);
	for (int i = 0; !err && i < rows->nr_hists; i++) {
		hist_sums__set_delta(report->hist_delta, &set->hist->rows[i]);
		err = fill_hist(report, report->hist_delta, set->hist, i, rows);
	}
	return err;
}
