// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/report/aggr.h"
#include "util/report/cell-row.h"
#include "util/report/cells.h"
#include "util/report/metric.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"

#define UNIT_WIDTH_MIN 4

/* The events of a cgroup; without --for-each-cgroup all events are one block. */
struct block {
	int first;   /* event */
	double size; /* what its first event counted */
};

struct block_list {
	struct block *list; /* room for all */
	int nr;
	int events; /* of each */
};

/* The rows of the events from first up to end, in the aggregates from first up to end. */
struct row_range {
	int first_event, end_event;
	int first_aggr, end_aggr;
};

/* Each event's aggregates together. */
static int add_by_event(const struct cells *cells, const struct metric_source *source, const struct row_range *of,
			struct stat_rows *rows)
{
	int err = 0;

	for (int event = of->first_event; event < of->end_event && !err; event++)
		for (int aggr = of->first_aggr; aggr < of->end_aggr && !err; aggr++)
			err = cell__add_row(cells, source, event, aggr, rows);
	return err;
}

/* Each aggregate's events together. */
static int add_by_aggr(const struct cells *cells, const struct metric_source *source, const struct row_range *of,
		       struct stat_rows *rows)
{
	int err = 0;

	for (int aggr = of->first_aggr; aggr < of->end_aggr && !err; aggr++)
		for (int event = of->first_event; event < of->end_event && !err; event++)
			err = cell__add_row(cells, source, event, aggr, rows);
	return err;
}

/* ---- blocks ---- */

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->first - b->first;
}

static double block_size(const struct cells *cells, int first)
{
	double size = 0;

	for (int aggr = 0; aggr < cells->nr_aggr; aggr++)
		size += (double)cells__at(cells, first, aggr)->sum.value;
	return size;
}

/* Fills @blocks with those to be shown, in their order. */
static void choose_blocks(const struct cells *cells, struct block_list *blocks)
{
	const struct report_config *config = cells->config;

	for (int first = 0; first < config->evlist->nr; first += blocks->events)
		if (!config->nr_for_each || config->cgroups[first])
			blocks->list[blocks->nr++] = (struct block){ first, block_size(cells, first) };
	if (!config->top)
		return;
	qsort(blocks->list, (size_t)blocks->nr, sizeof(*blocks->list), compare_blocks);
	if (blocks->nr > config->top)
		blocks->nr = config->top;
}

/* ---- all rows ---- */

static int widest_unit(const struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;
	int width = UNIT_WIDTH_MIN;

	for (int event = 0; event < evlist->nr; event++) {
		int len = (int)strlen(evlist->entries[event]->unit);

		if (!cells->unsupported[event] && len > width)
			width = len;
	}
	return width;
}

static int longest_prog(const struct cells *cells)
{
	const struct aggr_map *aggr = cells->config->aggr;
	int width = 0;

	for (int prog = 0; aggr->by_prog && prog < aggr->nr_progs; prog++) {
		int len = (int)strlen(aggr->prog_names[prog]);

		width = len > width ? len : width;
	}
	return width;
}

/* The rows of a program, or all where programs are not told apart. */
static int add_prog(const struct cells *cells, const struct metric_source *source, const struct block_list *blocks,
		    int prog, struct stat_rows *rows)
{
	bool by_event = !cells->config->metric_only && !aggr_mode__adds_cpus_up(cells->config->aggr->mode);
	int nr = cells->config->aggr->nr_per_prog, err = 0;
	struct row_range of = { .first_aggr = prog * nr, .end_aggr = (prog + 1) * nr };

	for (int i = 0; i < blocks->nr && !err; i++) {
		of.first_event = blocks->list[i].first;
		of.end_event = of.first_event + blocks->events;
		err = (by_event ? add_by_event : add_by_aggr)(cells, source, &of, rows);
	}
	return err;
}

/* What the metrics of the rows are made of. */
static struct metric_source metric_source(struct cells *cells, double wall_ns)
{
	for (size_t i = 0; i < cells__nr(cells); i++) {
		cells->counts[i] = cells->cells[i].sum.value;
		cells->known[i] = cells->cells[i].sum.enabled && cells->cells[i].sum.running;
	}
	return (struct metric_source){
		.evlist = cells->config->evlist,
		.nr_aggr = cells->nr_aggr,
		.counts = cells->counts,
		.known = cells->known,
		.set = cells->config->metrics,
		.all = cells->config->metric_only,
		.runs = cells->counts_runs ? cells->runs : NULL,
		.cgroups = cells->config->cgroups,
		.nr_for_each = cells->config->nr_for_each,
		.wall_ns = wall_ns,
	};
}

int cells__make_rows(struct cells *cells, double wall_ns, struct stat_rows *rows)
{
	const struct report_config *config = cells->config;
	const struct metric_source source = metric_source(cells, wall_ns);
	int nr = config->nr_for_each ?: 1, err = 0;
	struct block_list blocks = { .list = calloc((size_t)nr + 1, sizeof(*blocks.list)),
				     .events = config->evlist->nr / nr };

	stat_rows__reset(rows);
	if (!blocks.list)
		return -ENOMEM;
	rows->unit_width = widest_unit(cells);
	rows->prog_width = longest_prog(cells);
	choose_blocks(cells, &blocks);
	for (int prog = 0; prog < config->aggr->nr_progs && !err; prog++)
		err = add_prog(cells, &source, &blocks, prog, rows);
	free(blocks.list);
	return err;
}
