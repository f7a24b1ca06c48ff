// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"
#include "util/machine/topology.h"
#include "util/report/aggr.h"
#include "util/report/hist.h"
#include "util/report/metric-set.h"
#include "util/report/metric.h"
#include "util/report/stat_row.h"
#include "util/report/stats.h"

#define UNIT_WIDTH_MIN 4

/* One event in one aggregate: of a run, of an interval, or the mean of all runs. */
struct cell {
	struct reading sum; /* scaled */
	int nr;		    /* readings in it */
	bool covered;	    /* the event is open somewhere in the aggregate, or would be if it could */
	bool starved;	    /* some CPU's counter never got onto the PMU: a sum without it would lie */
	bool hidden;	    /* shown as a part of another cell */
	double noise;	    /* percent */
};

/* The same cell over all runs. */
struct series {
	struct stats value;
	uint64_t enabled; /* summed up */
	uint64_t running;
	struct cell last;
};

/* The events of a cgroup; without --for-each-cgroup all events are one block. */
struct block {
	int first;   /* event */
	double size; /* what its first event counted */
};

struct report {
	struct report_config config;
	int block_size;	      /* events */
	struct block *blocks; /* room for all */
	int nr_aggr;
	bool *unsupported;     /* [event] of the last counts seen */
	bool *user_only;       /* the same */
	struct cell *cells;    /* [event * nr_aggr + aggregate] of what is at hand */
	uint64_t *counts;      /* the values of cells, for the metrics */
	bool *known;	       /* the same: the cell was counted */
	double *runs;	       /* [aggregate] of what is at hand */
	struct series *series; /* as cells */
	double *run_sums;      /* as runs */
	bool counts_runs;      /* the counts came with runs of BPF programs */
	struct stats elapsed;
	int nr_hists;
	struct hist_sums **hists;	 /* of the runs, by program where they are told apart */
	struct hist_sums *hist_delta;	 /* of an interval */
	const struct hist_rows *hist_of; /* the counts that came last with distributions, else NULL */
};

typedef struct reading (*reading_fn)(const struct counts *counts, int cpu_idx, int thread);

/* A table [event][aggregate] of elements of @size with more aggregates than before: what was in @old, which is freed, and zeros. */
static void *grown(const struct report *report, void *old, size_t size, int nr_aggr)
{
	size_t events = (size_t)report->config.evlist->nr, had = (size_t)report->nr_aggr, want = (size_t)nr_aggr;
	char *table = calloc(events * want + 1, size); /* none of 0 bytes: its NULL would look like no memory */

	for (size_t event = 0; table && old && event < events; event++)
		memcpy(table + event * want * size, (char *)old + event * had * size, had * size);
	if (table)
		free(old);
	return table;
}

/* The same of a table [aggregate]. */
static void *grown_list(const struct report *report, void *old, size_t size, int nr_aggr)
{
	char *list = realloc(old, ((size_t)nr_aggr + 1) * size);

	if (list)
		memset(list + (size_t)report->nr_aggr * size, 0, ((size_t)(nr_aggr - report->nr_aggr) + 1) * size);
	return list;
}

static bool replace(void *table, void *bigger)
{
	if (bigger)
		memcpy(table, &bigger, sizeof(bigger));
	return bigger;
}

#define GROW(table, how) replace(&report->table, how(report, report->table, sizeof(*report->table), nr_aggr))

static int report__grow(struct report *report, int nr_aggr)
{
	if (!GROW(cells, grown) || !GROW(counts, grown) || !GROW(known, grown) || !GROW(series, grown) ||
	    !GROW(runs, grown_list) || !GROW(run_sums, grown_list))
		return -ENOMEM;
	report->nr_aggr = nr_aggr;
	return 0;
}

/* There may be programs now that were not there before. */
static int take_progs(struct report *report, const struct counts_set *set)
{
	struct aggr_map *aggr = report->config.aggr;
	int err;

	if (!aggr->by_prog || !set->progs)
		return 0;
	err = aggr_map__set_progs(aggr, set->progs);
	return err ?: aggr->nr > report->nr_aggr ? report__grow(report, aggr->nr) : 0;
}

struct report *report__new(const struct report_config *config)
{
	struct report *report = calloc(1, sizeof(*report));
	size_t events;

	if (!report)
		return NULL;
	report->config = *config;
	report->block_size = config->evlist->nr / (config->nr_for_each ?: 1);
	report->blocks = calloc((size_t)config->nr_for_each + 1, sizeof(*report->blocks));
	events = (size_t)config->evlist->nr + 1; /* no table of 0 bytes: its NULL would look like no memory */
	report->unsupported = calloc(events, sizeof(*report->unsupported));
	report->user_only = calloc(events, sizeof(*report->user_only));
	report->hist_delta = hist_sums__new();
	if (!report->hist_delta || !report->blocks || !report->unsupported || !report->user_only ||
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
	free(report->blocks);
	free(report->unsupported);
	free(report->user_only);
	free(report->cells);
	free(report->counts);
	free(report->known);
	free(report->series);
	free(report->runs);
	free(report->run_sums);
	for (int i = 0; i < report->nr_hists; i++)
		hist_sums__free(report->hists[i]);
	free(report->hists);
	hist_sums__free(report->hist_delta);
	free(report);
}

static size_t nr_cells(const struct report *report)
{
	return (size_t)report->config.evlist->nr * (size_t)report->nr_aggr;
}

static struct cell *cell_of(const struct report *report, int event, int aggr)
{
	return &report->cells[(size_t)event * (size_t)report->nr_aggr + (size_t)aggr];
}

/* ---- readings to cells ---- */

static uint64_t to_count(double value)
{
	return value < 18446744073709551616.0 ? (uint64_t)value : UINT64_MAX;
}

/* What it would have counted had it run all the time that it was enabled. */
static void scale(struct reading *reading)
{
	if (!reading->running)
		reading->value = 0;
	else if (reading->running < reading->enabled)
		reading->value = to_count((double)reading->value * (double)reading->enabled / (double)reading->running);
}

static bool by_cpu(const struct report *report)
{
	return report->config.aggr->mode != AGGR_GLOBAL && report->config.aggr->mode != AGGR_THREAD;
}

static void cell__add(const struct report *report, struct cell *cell, struct reading reading)
{
	bool starved = reading.enabled && !reading.running;

	if (!report->config.no_scale)
		scale(&reading);
	if (report->config.aggr->mode == AGGR_THREAD && report->config.system_wide && !reading.value)
		return;
	cell->nr++;
	cell->sum.value += reading.value;
	cell->sum.enabled += reading.enabled;
	cell->sum.running += reading.running;
	cell->starved |= starved && by_cpu(report);
}

/* A per-package event: did a CPU before @cpu_idx count for the same die? One that never ran does not. */
static bool package_is_counted(const struct report *report, const struct counts *counts, reading_fn read, int cpu_idx)
{
	const struct topology *topology = report->config.topology;
	const struct cpu_place *place, *other;

	if (!counts->evsel->per_pkg || !topology || cpumap__is_any(counts->cpus))
		return false;
	place = topology__place(topology, counts->cpus->ids[cpu_idx]);
	for (int i = 0; i < cpu_idx; i++) {
		struct reading reading = read(counts, i, 0);

		other = topology__place(topology, counts->cpus->ids[i]);
		if (other->socket == place->socket && other->die == place->die && reading.enabled && reading.running)
			return true;
	}
	return false;
}

static void collect_event(struct report *report, const struct counts *counts, reading_fn read, int event)
{
	/* one whose group could not be opened might have been counted alone: it is supported, but was not counted */
	report->unsupported[event] = counts->open_err && counts->open_err != -ECANCELED;
	report->user_only[event] = counts->user_only;
	for (int cpu = 0; cpu < counts->cpus->nr; cpu++) {
		bool is_counted = package_is_counted(report, counts, read, cpu);

		for (int thread = 0; thread < counts->nr_threads; thread++) {
			int aggr = aggr_map__find(report->config.aggr, counts->cpus->ids[cpu], thread);
			struct cell *cell;

			if (aggr < 0)
				continue;
			cell = cell_of(report, event, aggr);
			cell->covered = true;
			if (counts->open_err)
				continue;
			if (is_counted)
				cell->nr++;
			else
				cell__add(report, cell, read(counts, cpu, thread));
		}
	}
}

static void cell__merge(struct cell *into, struct cell *from)
{
	into->sum.value += from->sum.value;
	into->sum.enabled += from->sum.enabled;
	into->sum.running += from->sum.running;
	into->covered |= from->covered;
	into->starved |= from->starved;
	from->hidden = true;
}

/* The event's PMUs of one kind show as one. */
static void merge_pmus(struct report *report)
{
	const struct evlist *evlist = report->config.evlist;
	int first = 0;

	for (int event = 0; event < evlist->nr; event++) {
		if (!event || !evlist->entries[event]->merged) {
			first = event;
			continue;
		}
		for (int aggr = 0; aggr < report->nr_aggr; aggr++)
			cell__merge(cell_of(report, first, aggr), cell_of(report, event, aggr));
		report->unsupported[first] &= report->unsupported[event];
	}
}

static bool same_core(const struct aggr_id *a, const struct aggr_id *b)
{
	return a->prog == b->prog && a->socket == b->socket && a->die == b->die && a->cluster == b->cluster &&
	       a->core == b->core;
}

/* Of a percore event every CPU of a core shows what all of them counted. */
static void share_within_cores(struct report *report, int event)
{
	const struct aggr_id *ids = report->config.aggr->ids;

	for (int aggr = 0; aggr < report->nr_aggr; aggr++) {
		struct cell *cell = cell_of(report, event, aggr);

		for (int other = 0; cell->hidden && other < aggr; other++) {
			if (!same_core(&ids[other], &ids[aggr]) || cell_of(report, event, other)->hidden)
				continue;
			*cell = *cell_of(report, event, other);
		}
	}
}

/* Of a percore event the first CPU of a core shows what all of them counted. */
static void merge_threads_of_cores(struct report *report, int event)
{
	const struct aggr_id *ids = report->config.aggr->ids;

	for (int aggr = 1; aggr < report->nr_aggr; aggr++) {
		for (int before = 0; before < aggr; before++) {
			if (!same_core(&ids[before], &ids[aggr]))
				continue;
			cell__merge(cell_of(report, event, before), cell_of(report, event, aggr));
			break;
		}
	}
}

static void collect_runs(struct report *report, const struct counts *run_cnt, reading_fn read)
{
	report->counts_runs = run_cnt != NULL;
	memset(report->runs, 0, sizeof(*report->runs) * (size_t)report->nr_aggr);
	if (!run_cnt)
		return;
	for (int cpu = 0; cpu < run_cnt->cpus->nr; cpu++) {
		for (int thread = 0; thread < run_cnt->nr_threads; thread++) {
			int aggr = aggr_map__find(report->config.aggr, run_cnt->cpus->ids[cpu], thread);

			if (aggr >= 0)
				report->runs[aggr] += (double)read(run_cnt, cpu, thread).value;
		}
	}
}

/* What pstat itself counts, wall time and the like, is the same for each program. */
static void share_tool_event(struct report *report, int event)
{
	const struct aggr_map *aggr = report->config.aggr;

	for (int prog = 1; prog < aggr->nr_progs; prog++)
		*cell_of(report, event, prog * aggr->nr_per_prog) = *cell_of(report, event, 0);
}

static bool is_of_no_prog(const struct evsel *evsel)
{
	return evsel->tool != TOOL_NONE && evsel->tool != TOOL_RUN_CNT;
}

/* Fills the cells from @set. 0 or -ENOMEM. */
static int collect(struct report *report, const struct counts_set *set, reading_fn read)
{
	const struct evlist *evlist = report->config.evlist;
	bool no_aggr = report->config.aggr->mode == AGGR_NONE;

	if (take_progs(report, set))
		return -ENOMEM;
	memset(report->cells, 0, sizeof(*report->cells) * nr_cells(report));
	for (int event = 0; event < set->nr; event++)
		collect_event(report, set->events[event], read, event);
	for (int event = 0; event < set->nr; event++)
		if (report->config.aggr->by_prog && is_of_no_prog(evlist->entries[event]))
			share_tool_event(report, event);
	collect_runs(report, set->run_cnt, read);
	for (size_t i = 0; i < nr_cells(report); i++)
		if (report->cells[i].starved)
			report->cells[i].sum = (struct reading){ 0 };
	if (!no_aggr && !report->config.no_merge)
		merge_pmus(report);
	for (int event = 0; event < evlist->nr; event++)
		if (no_aggr && evlist->entries[event]->percore)
			merge_threads_of_cores(report, event);
	for (int event = 0; event < evlist->nr; event++)
		if (no_aggr && evlist->entries[event]->percore && report->config.percore_show_thread)
			share_within_cores(report, event);
	return 0;
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

int report__add_run(struct report *report, const struct counts_set *set, double wall_ns)
{
	if (collect(report, set, counts__total))
		return -ENOMEM;
	for (size_t i = 0; i < nr_cells(report); i++) {
		struct series *series = &report->series[i];

		series->last = report->cells[i];
		stats__add(&series->value, (double)series->last.sum.value);
		series->enabled += series->last.sum.enabled;
		series->running += series->last.sum.running;
	}
	for (int aggr = 0; aggr < report->nr_aggr; aggr++)
		report->run_sums[aggr] += report->runs[aggr];
	stats__add(&report->elapsed, wall_ns);
	report->hist_of = set->hist;
	return set->hist ? add_hists(report, set->hist) : 0;
}

void report__reset(struct report *report)
{
	memset(report->series, 0, sizeof(*report->series) * nr_cells(report));
	memset(report->run_sums, 0, sizeof(*report->run_sums) * (size_t)report->nr_aggr);
	report->elapsed = (struct stats){ 0 };
	for (int i = 0; i < report->nr_hists; i++)
		hist_sums__reset(report->hists[i]);
}

const struct stats *report__elapsed(const struct report *report)
{
	return &report->elapsed;
}

/* Fills the cells with the means of the runs; of a single run exactly with what it counted. */
static void average(struct report *report)
{
	for (size_t i = 0; i < nr_cells(report); i++) {
		const struct series *series = &report->series[i];
		struct cell *cell = &report->cells[i];
		uint64_t n = series->value.n;

		*cell = series->last;
		if (n < 2)
			continue;
		cell->sum.value = to_count(series->value.mean);
		cell->sum.enabled = series->enabled / n;
		cell->sum.running = series->running / n;
		cell->noise = stats__percent(stats__deviation(&series->value), (double)cell->sum.value);
	}
	for (int aggr = 0; aggr < report->nr_aggr; aggr++)
		report->runs[aggr] = report->run_sums[aggr] / (double)report->elapsed.n;
}

/* ---- cells to rows ---- */

/* The PMU as -A shows it; generic events belong to the core's. NULL for those without. */
static const char *pmu_of(const struct report *report, const struct evsel *evsel)
{
	if (evsel->pmu_name || evsel->tool != TOOL_NONE)
		return evsel->pmu_name;
	switch (evsel->attr.attr.type) {
	case PERF_TYPE_SOFTWARE:
		return "software";
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return report->config.core_pmu;
	case PERF_TYPE_RAW:
		return report->config.core_pmu ? report->config.core_pmu : "cpu";
	default:
		return NULL;
	}
}

/* The event's name, with its PMU where events of several PMUs may stand side by side. */
static void add_name(const struct report *report, const struct evsel *evsel, struct strbuf *name)
{
	const char *pmu = pmu_of(report, evsel), *terms = strchr(evsel->name, '/');
	bool unique = report->config.aggr->mode == AGGR_NONE || evsel->is_core_pmu;

	if (!unique || !pmu || !strncmp(evsel->name, pmu, strlen(pmu)))
		strbuf__adds(name, evsel->name);
	else if (terms)
		strbuf__addf(name, "%s%s", pmu, terms);
	else if (evsel->is_core_pmu)
		strbuf__addf(name, "%s/%s/", pmu, evsel->name);
	else
		strbuf__addf(name, "%s [%s]", evsel->name, pmu);
}

/* A modifier behind the name, as the user would have written it. */
static void add_user_only(const struct evsel *evsel, struct strbuf *name)
{
	strbuf__adds(name, strpbrk(evsel->name, ":/") ? "u" : ":u");
}

/* Zero is no row where the event had no chance to count. */
static bool is_shown(const struct report *report, const struct evsel *evsel, const struct cell *cell)
{
	if (cell->hidden)
		return false;
	if (cell->sum.value)
		return true;
	if (report->config.aggr->mode == AGGR_THREAD && report->config.system_wide)
		return false;
	if (evsel->tool != TOOL_NONE && evsel->tool != TOOL_RUN_CNT)
		return cell->sum.enabled && metric_set__is_at(report->config.metrics, evsel);
	return cell->covered || !evsel->pmu_cpus;
}

static enum row_state state_of(const struct report *report, int event, const struct cell *cell)
{
	if (report->unsupported[event])
		return ROW_NOT_SUPPORTED;
	return cell->sum.enabled && cell->sum.running ? ROW_COUNTED : ROW_NOT_COUNTED;
}

static int add_row(const struct report *report, const struct metric_source *source, int event, int aggr,
		   struct stat_rows *rows)
{
	const struct evsel *evsel = report->config.evlist->entries[event];
	const struct cell *cell = cell_of(report, event, aggr);
	const char *cgroup = report->config.cgroups ? report->config.cgroups[event] : NULL;
	struct strbuf name = STRBUF_INIT;
	struct stat_row *row = NULL;

	if (!is_shown(report, evsel, cell))
		return 0;
	add_name(report, evsel, &name);
	if (report->user_only[event])
		add_user_only(evsel, &name);
	if (!strbuf__failed(&name))
		row = stat_rows__add(rows, &report->config.aggr->ids[aggr], name.text, evsel->unit, cgroup);
	strbuf__free(&name);
	if (!row)
		return -ENOMEM;
	row->id.percore = evsel->percore && report->config.aggr->mode == AGGR_NONE &&
			  !report->config.percore_show_thread;
	row->nr_aggr = cell->nr;
	row->state = state_of(report, event, cell);
	row->value = (double)cell->sum.value * evsel->scale;
	row->fraction = floor(evsel->scale) != evsel->scale;
	row->noise = cell->noise;
	row->enabled = cell->sum.enabled;
	row->running = cell->sum.running;
	return row->state == ROW_COUNTED || source->all ? metric__add(source, evsel, aggr, row) : 0;
}

/* The rows of the events from first up to end, in the aggregates from first up to end. */
struct row_range {
	int first_event, end_event;
	int first_aggr, end_aggr;
};

/* Each event's aggregates together. */
static int add_by_event(const struct report *report, const struct metric_source *source, const struct row_range *of,
			struct stat_rows *rows)
{
	int err = 0;

	for (int event = of->first_event; event < of->end_event && !err; event++)
		for (int aggr = of->first_aggr; aggr < of->end_aggr && !err; aggr++)
			err = add_row(report, source, event, aggr, rows);
	return err;
}

/* Each aggregate's events together. */
static int add_by_aggr(const struct report *report, const struct metric_source *source, const struct row_range *of,
		       struct stat_rows *rows)
{
	int err = 0;

	for (int aggr = of->first_aggr; aggr < of->end_aggr && !err; aggr++)
		for (int event = of->first_event; event < of->end_event && !err; event++)
			err = add_row(report, source, event, aggr, rows);
	return err;
}

static int widest_unit(const struct report *report)
{
	const struct evlist *evlist = report->config.evlist;
	int width = UNIT_WIDTH_MIN;

	for (int event = 0; event < evlist->nr; event++) {
		int len = (int)strlen(evlist->entries[event]->unit);

		if (!report->unsupported[event] && len > width)
			width = len;
	}
	return width;
}

/* ---- blocks ---- */

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->first - b->first;
}

/* Fills report->blocks with those to be shown, in their order. How many. */
static int report__choose_blocks(const struct report *report)
{
	int nr = 0;

	for (int first = 0; first < report->config.evlist->nr; first += report->block_size) {
		struct block block = { .first = first };

		if (report->config.nr_for_each && !report->config.cgroups[first])
			continue;
		for (int aggr = 0; aggr < report->nr_aggr; aggr++)
			block.size += (double)cell_of(report, first, aggr)->sum.value;
		report->blocks[nr++] = block;
	}
	if (!report->config.top)
		return nr;
	qsort(report->blocks, (size_t)nr, sizeof(*report->blocks), compare_blocks);
	return nr < report->config.top ? nr : report->config.top;
}

static int longest_prog(const struct report *report)
{
	const struct aggr_map *aggr = report->config.aggr;
	int width = 0;

	for (int prog = 0; aggr->by_prog && prog < aggr->nr_progs; prog++) {
		int len = (int)strlen(aggr->prog_names[prog]);

		width = len > width ? len : width;
	}
	return width;
}

/* The rows of a program, or all where programs are not told apart, of the first @nr_blocks blocks. */
static int add_prog(const struct report *report, const struct metric_source *source, bool by_event, int prog,
		    int nr_blocks, struct stat_rows *rows)
{
	int nr = report->config.aggr->nr_per_prog, err = 0;
	struct row_range of = { .first_aggr = prog * nr, .end_aggr = (prog + 1) * nr };

	for (int i = 0; i < nr_blocks && !err; i++) {
		of.first_event = report->blocks[i].first;
		of.end_event = of.first_event + report->block_size;
		err = (by_event ? add_by_event : add_by_aggr)(report, source, &of, rows);
	}
	return err;
}

static int make_rows(const struct report *report, double wall_ns, struct stat_rows *rows)
{
	const struct aggr_map *aggr = report->config.aggr;
	enum aggr_mode mode = aggr->mode;
	bool by_event = !report->config.metric_only &&
			(mode == AGGR_GLOBAL || mode == AGGR_NONE || mode == AGGR_THREAD);
	struct metric_source source = {
		.evlist = report->config.evlist,
		.nr_aggr = report->nr_aggr,
		.counts = report->counts,
		.known = report->known,
		.set = report->config.metrics,
		.all = report->config.metric_only,
		.runs = report->counts_runs ? report->runs : NULL,
		.cgroups = report->config.cgroups,
		.wall_ns = wall_ns,
	};
	int err = 0, nr_blocks;

	for (size_t i = 0; i < nr_cells(report); i++) {
		report->counts[i] = report->cells[i].sum.value;
		report->known[i] = report->cells[i].sum.enabled && report->cells[i].sum.running;
	}
	stat_rows__reset(rows);
	rows->unit_width = widest_unit(report);
	rows->prog_width = longest_prog(report);
	nr_blocks = report__choose_blocks(report);
	for (int prog = 0; prog < aggr->nr_progs && !err; prog++)
		err = add_prog(report, &source, by_event, prog, nr_blocks, rows);
	return err;
}

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
	err = make_rows(report, report->elapsed.mean, rows);
	if (!err && report->hist_of)
		err = stat_rows__make_hists(rows, report->nr_hists);
	for (int i = 0; !err && i < rows->nr_hists; i++)
		err = fill_hist(report, report->hists[i], report->hist_of, i, rows);
	return err;
}

int report__interval(struct report *report, const struct counts_set *set, double wall_ns, struct stat_rows *rows)
{
	int err = collect(report, set, counts__delta);

	err = err ?: make_rows(report, wall_ns, rows);
	if (!err && set->hist)
		err = stat_rows__make_hists(rows, set->hist->nr);
	for (int i = 0; !err && i < rows->nr_hists; i++) {
		hist_sums__set_delta(report->hist_delta, &set->hist->rows[i]);
		err = fill_hist(report, report->hist_delta, set->hist, i, rows);
	}
	return err;
}
