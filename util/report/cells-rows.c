// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/report/aggr.h"
#include "util/report/cell-row.h"
#include "util/report/cells.h"
#include "util/metric/metric.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"

#define UNIT_WIDTH_MIN 4

/* A subject that has rows. */
struct shown {
	int subject;
	int prog;    /* number of its program */
	double size; /* count of the first event in its cgroup */
};

static int add_by_event(const struct cells *cells, const struct metric_source *source, int first, int end,
			struct stat_rows *rows)
{
	int err = 0;

	for (int event = 0; event < cells->config->evlist->nr && !err; event++)
		for (int aggr = first; aggr < end && !err; aggr++)
			err = cell__add_row(cells, source, event, aggr, rows);
	return err;
}

static int add_by_aggr(const struct cells *cells, const struct metric_source *source, int first, int end,
		       struct stat_rows *rows)
{
	int err = 0;

	for (int aggr = first; aggr < end && !err; aggr++)
		for (int event = 0; event < cells->config->evlist->nr && !err; event++)
			err = cell__add_row(cells, source, event, aggr, rows);
	return err;
}

/* ---- subjects ---- */

static int compare_shown(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;

	if (a->prog != b->prog)
		return a->prog - b->prog;
	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->subject - b->subject;
}

static double subject_size(const struct cells *cells, int subject)
{
	const struct cell *of_subject = cells__at(cells, 0, subject * cells->shape.aggrs);
	double size = 0;

	for (int aggr = 0; aggr < cells->shape.aggrs; aggr++)
		size += (double)of_subject[aggr].sum.value;
	return size;
}

/* --top: keeps the largest cgroups. All programs have the same cgroups in the same order. */
static int keep_largest(const struct cells *cells, struct shown *shown, int nr)
{
	const struct subjects *subjects = cells->config->aggr->subjects;
	int nr_cgroups = subjects__cgroups(subjects), kept = 0, rank = 0;
	bool by_prog = subjects->kind == SUBJECT_PROG;

	for (int i = 0; i < nr; i++) {
		shown[i].prog = by_prog ? shown[i].subject / nr_cgroups : 0;
		shown[i].size = 0;
		for (int other = by_prog ? shown[i].subject % nr_cgroups : shown[i].subject; other < subjects->nr;
		     other += by_prog ? nr_cgroups : subjects->nr)
			shown[i].size += subject_size(cells, other);
	}
	qsort(shown, (size_t)nr, sizeof(*shown), compare_shown);
	for (int i = 0; i < nr; i++) {
		rank = i && shown[i].prog == shown[i - 1].prog ? rank + 1 : 0;
		if (rank < cells->config->top)
			shown[kept++] = shown[i];
	}
	return kept;
}

static bool has_rows(const struct subject *subject, bool interval)
{
	switch (subject->state) {
	case SUBJECT_LIVE:
	case SUBJECT_GONE:
		return true;
	case SUBJECT_GONE_OLD:
		return !interval;
	case SUBJECT_NONE:
		break;
	}
	return false;
}

/* Fills @shown with the subjects that have rows, in their order. Returns their number. */
static int choose_subjects(const struct cells *cells, bool interval, struct shown *shown)
{
	const struct aggr_map *map = cells->config->aggr;
	int nr = 0;

	for (int subject = 0; subject < aggr_map__nr_subjects(map); subject++)
		if (!map->subjects || has_rows(&map->subjects->list[subject], interval))
			shown[nr++] = (struct shown){ .subject = subject };
	if (!cells->config->top || !map->subjects || !cells->config->evlist->nr)
		return nr;
	return keep_largest(cells, shown, nr);
}

/* ---- all rows ---- */

static int widest_unit(const struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;
	int width = UNIT_WIDTH_MIN;

	for (int event = 0; event < evlist->nr; event++) {
		int len = (int)strlen(evlist->entries[event]->unit);

		for (int cgroup = 0; len > width && cgroup < cells->nr_cgroups; cgroup++)
			if (!cells__is_unsupported(cells, event, cgroup))
				width = len;
	}
	return width;
}

static int longest_prog(const struct cells *cells)
{
	const struct subjects *subjects = cells->config->aggr->subjects;
	int width = 0;

	for (int i = 0; subjects && subjects->kind == SUBJECT_PROG && i < subjects->nr; i++) {
		int len = (int)strlen(subjects->list[i].name);

		width = len > width ? len : width;
	}
	return width;
}

static bool has_cgroups(const struct subjects *subjects)
{
	return subjects && (subjects->kind == SUBJECT_CGROUP || subjects->nr_cgroups);
}

/* Returns the values from which metrics are computed. */
static struct metric_source metric_source(struct cells *cells, double wall_ns)
{
	for (size_t i = 0; i < cells__nr(cells); i++) {
		cells->counts[i] = cells->cells[i].sum.value;
		cells->known[i] = cells->cells[i].sum.enabled && cells->cells[i].sum.running;
	}
	return (struct metric_source){
		.evlist = cells->config->evlist,
		.nr_aggr = cells->nr_aggr,
		.per_subject = cells->shape.aggrs,
		.counts = cells->counts,
		.known = cells->known,
		.set = cells->config->metrics,
		.all = cells->config->metric_only,
		.runs = cells->counts_runs ? cells->runs : NULL,
		.cgroups = cells->config->cgroups,
		.by_cgroup = cells->config->cgroups || has_cgroups(cells->config->aggr->subjects),
		.wall_ns = wall_ns,
	};
}

int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows)
{
	const struct report_config *config = cells->config;
	const struct metric_source source = metric_source(cells, wall_ns);
	bool by_event = !config->metric_only && !aggr_mode__adds_cpus_up(config->aggr->mode);
	struct shown *shown = calloc((size_t)aggr_map__nr_subjects(config->aggr) + 1, sizeof(*shown));
	int nr, nr_aggr = config->aggr->nr, err = 0;

	stat_rows__reset(rows);
	if (!shown)
		return -ENOMEM;
	rows->unit_width = widest_unit(cells);
	rows->prog_width = longest_prog(cells);
	nr = choose_subjects(cells, interval, shown);
	for (int i = 0; i < nr && !err; i++) {
		int first = shown[i].subject * nr_aggr;

		err = (by_event ? add_by_event : add_by_aggr)(cells, &source, first, first + nr_aggr, rows);
	}
	free(shown);
	return err;
}
